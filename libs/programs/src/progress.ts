import type { AgentProgress } from './agent/agent.state.js';
import type { Json } from './plan.js';

/**
 * How far one scope of a plan has come: the top level, or one item of a `forEach`. Plain data, never mutated. Its size
 * depends on what is open and on results still needed, never on how much is done.
 */
export type Progress = { readonly nodes: Readonly<Record<string, NodeProgress>> };

/** A node that may not start yet, or was not started, is absent from `nodes`. */
export type NodeProgress =
  | { readonly status: 'open' }
  /** `result` is kept only while a step that is open or not yet scheduled refers to it. */
  | { readonly status: 'succeeded'; readonly result?: Json }
  /** `cause` is the step whose failure has failed a `forEach`. */
  | { readonly status: 'failed'; readonly cause?: string }
  /** Never run, because something it depends on has failed. */
  | { readonly status: 'skipped' }
  /** Items below `next` were opened; those of them not in `open`, which is in order, are finished. */
  | {
      readonly status: 'each';
      readonly items: number;
      readonly next: number;
      readonly open: readonly OpenItem[];
      readonly succeeded: number;
      readonly failed: number;
      /** The step whose failure ends this `forEach`: no further item or step of it starts, open steps may end. */
      readonly cause?: string;
    }
  | AgentProgress
  | { readonly status: 'each_done'; readonly items: number; readonly succeeded: number; readonly failed: number };

/** An item that is under way. In an array, since each change copies them all: that is cheap for an array. */
export type OpenItem = { readonly index: number; readonly progress: Progress };

/** A step that may be scheduled now. `problem` instead of `args` when a reference leads nowhere. */
export type ReadyStep = {
  /** Path in the plan, items by index from 0: `file[17].read`. */
  readonly stepId: string;
  readonly args: Json;
  readonly problem?: string;
};

export type PlanOutcome =
  | { readonly status: 'running' }
  | { readonly status: 'succeeded'; readonly output: Json }
  /** A step whose failure ends the run has failed. Steps may still be open. */
  | { readonly status: 'failed'; readonly stepId: string; readonly detail: string };

/** Nothing more can happen to the node. */
export const isDone = (node: NodeProgress | undefined): boolean =>
  node !== undefined && node.status !== 'open' && node.status !== 'each' && node.status !== 'agent';
