import { LIMITS } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import { askTool, type Clock, type Logger, type ToolSet } from '@holdfast/sdk';
import { unknown, type Answer } from '../doubt/doubt.verdict.js';

/** One question to a tool about an earlier call of its own. */
export type WitnessQuestion = {
  /** `tool@version` */
  readonly tool: string;
  readonly args: Json;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly traceparent?: string | undefined;
};

/** Asks a tool what became of a call. Never rejects: what is no clear answer is `unknown`, with the reason as evidence. */
export type Witness = (question: WitnessQuestion) => Promise<Answer>;

/** A witness that asks the given tools, each for at most `questionMs`. */
export const toolWitness =
  (tools: ToolSet, clock: Clock, questionMs: number): Witness =>
  async ({ tool: ref, args, key, signal, logger, traceparent }) => {
    const tool = tools.get(ref);
    if (tool === undefined) return unknown(`this reconciler has not loaded the tool ${ref}`);
    const said = await askTool(tool, args, {
      key,
      signal,
      logger,
      traceparent,
      now: () => clock.now(),
      deadline: clock.now() + questionMs,
    });
    if (said.verdict !== 'applied') return { verdict: said.verdict, evidence: said.evidence };
    const bytes = Buffer.byteLength(JSON.stringify(said.result));
    if (bytes <= LIMITS.inlineValueBytes) return said;
    return unknown(
      `${ref} says applied, but its result of ${bytes} bytes is larger than the ${LIMITS.inlineValueBytes} that history keeps`,
      said.evidence.summary,
    );
  };
