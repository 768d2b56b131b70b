import type { Json } from '@holdfast/programs';
import type { Tool } from '@holdfast/sdk';

/**
 * What may happen to a call, or to a question.
 * - `cut-before`: the connection breaks, or the call fails, just before the effect is made
 * - `cut-after`: the effect is made, and its answer is lost
 * - `held`: the effect waits for the end of the fault, also when the caller has gone meanwhile
 * - `away`: nobody is there
 * - `garbled`: somebody is there and answers what nobody understands
 */
export type Fault = 'cut-before' | 'cut-after' | 'held' | 'away' | 'garbled';

export type Begun = {
  /** A call has come to where it is cut or held. */
  readonly reached: Promise<void>;
  /**
   * From now on all goes well again. Resolves when whatever was held of callers that have gone has taken effect, or surely
   * never will.
   */
  readonly end: () => Promise<void>;
};

/** A tool with the counterpart that it acts on, as the contract suite needs them. */
export type ProbeWorld = {
  readonly tool: Tool;
  /** Arguments that have this text somewhere in them. */
  args(text: string): Json;
  /** How often the effect of the step with this key has been made: counted at the counterpart, without the tool. */
  effects(key: string): Promise<number>;
  fault(fault: Fault): Promise<Begun>;
  /** Texts that nothing the tool says may hold: its passwords. */
  readonly secrets: readonly string[];
};
