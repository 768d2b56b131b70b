import type { Json } from '../json.js';
import type { ModelMessage, ModelReply } from './model.js';

/** How far an agent has come. Its size depends on what a model is shown, never on how many turns are done. */
export type AgentProgress = {
  readonly status: 'agent';
  /** The turn that is under way, from 0. */
  readonly turn: number;
  readonly phase: AgentPhase;
  /** Finished turns that the model is shown. */
  readonly turns: readonly AgentTurn[];
  /** Turns before those, which are summed up in `summary` or left out. */
  readonly leftOut: number;
  readonly summary: string | null;
  /** Mistakes in a row. */
  readonly repairs: number;
  /** Calls of earlier turns that the model was told are in doubt. */
  readonly late: readonly AgentCall[];
  /** Runs that went on when the model had waited long enough. */
  readonly begun: readonly AgentRun[];
  /** What has become known since and is told to the model with the next request. */
  readonly found: readonly string[];
};

export type AgentPhase =
  /** The model is asked. */
  | { readonly name: 'model'; readonly open: boolean }
  /** What follows from its reply is not decided yet. */
  | { readonly name: 'replied'; readonly reply: ModelReply }
  | { readonly name: 'calls'; readonly reply: ModelReply; readonly calls: readonly AgentCall[] }
  /** It has answered while calls are in doubt: once they are settled it is told and asked again. */
  | { readonly name: 'settling'; readonly reply: ModelReply }
  /** What is left out is summed up. */
  | { readonly name: 'summary'; readonly open: boolean }
  /** It has failed, and calls of it are still in doubt. */
  | { readonly name: 'failing' };

/** A call that the model asks for and that is, or was, a step. */
export type AgentCall = {
  /** The name of its step in the turn: `search-0`. */
  readonly step: string;
  readonly turn: number;
  /** As the model is answered. */
  readonly id: string;
  /** Of the tool, as the model knows it. */
  readonly name: string;
  readonly args: Json;
  /** `refused`: no step was made of it. `told`: in doubt, and the model is told so. */
  readonly status: 'ready' | 'open' | 'told' | 'done' | 'refused';
  readonly text?: string;
  readonly failed?: boolean;
};

export type AgentRun = { readonly name: string; readonly args: Json; readonly runId: string };

export type AgentTurn = { readonly turn: number; readonly messages: readonly ModelMessage[]; readonly size: number };

/** A step of an agent: `name` in a turn. */
export type AgentPlace = { readonly turn: number; readonly name: string };

export const newAgent: AgentProgress = {
  status: 'agent',
  turn: 0,
  phase: { name: 'model', open: false },
  turns: [],
  leftOut: 0,
  summary: null,
  repairs: 0,
  late: [],
  begun: [],
  found: [],
};

/** Whether a step of the agent is open. */
export const isAgentUnderWay = ({ phase, late }: AgentProgress): boolean => {
  if (late.length > 0) return true;
  if (phase.name === 'model' || phase.name === 'summary') return phase.open;
  return phase.name === 'calls' && phase.calls.some(({ status }) => status === 'open' || status === 'told');
};
