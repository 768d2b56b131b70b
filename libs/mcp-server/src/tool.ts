import type { Route } from '@holdfast/api';
import type { z } from 'zod';
import type { Ask } from './ask.js';

type Described = {
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, when to call it, what to do afterwards. */
  readonly description: string;
  /** What it stands for: whoever may use the route may call the tool. */
  readonly route: Route;
};

/** A tool for models over routes of the gateway. */
export type ModelTool = Described & {
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly run: (ask: Ask, input: unknown, caller: string) => Promise<object>;
};

/** `caller`: something that tells one caller from another, where requests are made out of what they say. */
type Given<I extends z.ZodObject, O extends z.ZodObject> = Described & {
  readonly input: I;
  readonly output: O;
  readonly run: (ask: Ask, input: z.output<I>, caller: string) => Promise<z.input<O>>;
};

export const tool = <I extends z.ZodObject, O extends z.ZodObject>(described: Given<I, O>): ModelTool => ({
  ...described,
  run: (ask, input, caller) => described.run(ask, input as z.output<I>, caller),
});

/** Whether it changes something. */
export const writes = ({ route }: Pick<ModelTool, 'route'>): boolean => route.method !== 'GET';
