import { ProgramError } from './program-error.js';

/** One level of a step's path: a node, and the item when the path goes on inside a `forEach`. */
export type PathSegment = { readonly id: string; readonly index?: number };

const SEGMENT = /^([A-Za-z][A-Za-z0-9_-]*)(?:\[(0|[1-9]\d{0,8})\])?$/;

/** `file[17].read` → `file`, item 17, then `read`. Throws `ProgramError` for any other form. */
export const parseStepPath = (stepId: string): readonly PathSegment[] =>
  stepId.split('.').map((text, at, all) => {
    const found = SEGMENT.exec(text);
    const last = at === all.length - 1;
    if (found?.[1] === undefined || (found[2] === undefined) !== last) {
      throw new ProgramError(`${stepId} is not the path of a step: it must look like read or file[17].read`);
    }
    return found[2] === undefined ? { id: found[1] } : { id: found[1], index: Number(found[2]) };
  });

/** What the paths of an item's nodes begin with: `file[17].`. */
export const itemPrefix = (prefix: string, forEachId: string, index: number): string =>
  `${prefix}${forEachId}[${index}].`;

/** The place of a step of an agent: the last two levels of a path, `research[3].search-0`. */
export const agentPlaceIn = (
  path: readonly PathSegment[],
): { readonly turn: number; readonly name: string } | undefined => {
  const [agent, step] = path.slice(-2);
  return agent?.index === undefined || step === undefined ? undefined : { turn: agent.index, name: step.id };
};
