import { InvalidTool } from '@holdfast/sdk';

/** Where in a section something stands: `http.tools[0]`. */
export type Place = string;

/** Refuses a definition; the loader says where in the file the place is. */
export const refuse = (place: Place, problem: string): never => {
  throw new InvalidTool(`${place}: ${problem}`);
};
