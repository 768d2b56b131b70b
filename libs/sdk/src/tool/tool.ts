import type { CatalogueEntry } from '@holdfast/contracts';
import type { Amounts, ReplayPolicy, Usage } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import type { z } from 'zod';
import type { ToolFetch } from '../http/http.js';
import type { Logger } from '../ports.js';
import type { ToolVerdict } from './verdict.js';

/** What a tool is given beside its arguments. */
export type ToolContext = {
  /** The same for every attempt of this step and for no other step: pass it on as an idempotency key. */
  readonly key: string;
  /** Aborted at the deadline, when the run is stopped and when the worker stops. */
  readonly signal: AbortSignal;
  /**
   * Call it right before an effect, with nothing awaited in between. Throws `GuardRefused` when the deadline, an abort
   * or the session's lease no longer allow the effect. Once it has passed, an effect counts as begun; `fetch` asks by
   * itself, so do not ask before it.
   */
  guard(): void;
  readonly runId: string;
  readonly stepId: string;
  /** From 0. */
  readonly attempt: number;
  /** Epoch ms. */
  readonly deadline: number;
  /**
   * Says what the call has used so far, added to what it said before: tokens and money. What is never said counts as
   * all that `cost` allows; `spend({})` says that it was nothing.
   */
  spend(usage: Usage): void;
  /**
   * What is left of the limits that were set for the run and of what its tenant has granted (`granted:<kind>`), with this
   * call's cost taken off, and of its time (`wallMs`, `idleMs`). May be old by now.
   */
  readonly budget: Amounts;
  /** Tells whoever watches how far the call is. May be dropped; nothing is decided from it. */
  progress(value: Json): void;
  readonly logger: Logger;
  /** The place of the call in the trace of its run, as W3C Trace Context writes it; `fetch` sends it along. Absent where nobody traces. */
  readonly traceparent?: string | undefined;
  readonly fetch: ToolFetch;
};

/** What a tool is given when it is asked about an earlier call. Changes nothing outside. */
export type ToolQuestion = {
  /** The key of the call in doubt. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly traceparent?: string | undefined;
  readonly fetch: ToolFetch;
};

/** A value that fits, or a sentence on what does not. */
export type Checked<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: string };

/** A checked tool, as `defineTool` returns it. */
export type Tool<Args = unknown, Result = unknown> = {
  /** `name@version` */
  readonly ref: string;
  readonly name: string;
  readonly version: string;
  readonly queue: string;
  readonly policy: ReplayPolicy;
  readonly timeoutMs: number;
  /** How long after a call's deadline its effect may still land; 0 for tools without effects. */
  readonly settleMs: number;
  /** Only for `keyed`: how long repeats of a key are dropped. */
  readonly keyTtlMs: number | null;
  readonly spawns: boolean;
  /** The tool that undoes what this one does: `name@version`. */
  readonly compensate: string | null;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  checkArgs(args: unknown): Checked<Args>;
  /** The result as plain JSON, if it fits `output`. */
  checkResult(result: unknown): Checked<Json>;
  run(args: Args, context: ToolContext): Promise<Result>;
  /** Null where the tool cannot be asked. */
  readonly verify: VerifyTool<Args, Result> | null;
  /** What is published about the tool; `hash` covers all of it. */
  catalogueEntry(): CatalogueEntry;
};

// Written as a method, so that a tool of particular arguments is also a tool of any.
export type VerifyTool<Args, Result> = {
  verify(args: Args, question: ToolQuestion): Promise<ToolVerdict<Result>>;
}['verify'];
