import type { Json, Plan } from '@holdfast/programs';
import type { Fact } from './tally.js';

export type RunOrder = { readonly runId: string; readonly program: Plan; readonly input: Json };

/** The run as its history tells it. */
export type History = {
  /** Submits a run and hands over each fact of it in order; resolves when it has ended. */
  run(order: RunOrder, see: (fact: Fact) => void): Promise<void>;
  close(): Promise<void>;
};

export const openHistory = async (at: {
  readonly brokers: readonly string[];
  readonly namespace: string;
}): Promise<History> => {
  throw new Error(`no history of ${at.namespace} yet`);
};
