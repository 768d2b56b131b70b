import type { Usage } from '@holdfast/events';
import type { ToolApprovalRule } from '@holdfast/programs';
import type { z } from 'zod';
import type { Tool, ToolContext, ToolQuestion } from './tool.js';
import type { ToolVerdict } from './verdict.js';

/** The tool drops repeats of a key for `keyTtlMs`. */
export type Keyed = { readonly policy: 'keyed'; readonly keyTtlMs: number; readonly settleMs?: number };
/** The tool can be asked whether a call was applied; what was sent has landed `settleMs` after the call's deadline. */
export type Verifiable = { readonly policy: 'verifiable'; readonly settleMs: number };
/** Nothing protects a repeat: a person decides. */
export type Unprotected = { readonly policy: 'unprotected'; readonly settleMs?: number };
export type Replay = 'pure' | 'repeatable' | Keyed | Verifiable | Unprotected;

type MaybePromise<T> = T | Promise<T>;

type Common<Input extends z.ZodType<object>, Output extends z.ZodType> = {
  readonly name: string;
  readonly version: string;
  /** What it does and when to use it, for people and for models: at most 4096 characters. */
  readonly description?: string;
  /** Which executors serve it; default `default`. */
  readonly queue?: string;
  /** An object. */
  readonly input: Input;
  readonly output: Output;
  /** How long one call may take, ms. */
  readonly timeoutMs: number;
  /** Whether a call may leave processes behind that outlive its worker. */
  readonly spawns?: boolean;
  /**
   * The tool that undoes what this one has done, after a cancel that asks for it. Its arguments are
   * `{ args, result, key }` of the call that it undoes.
   */
  readonly compensate?: Tool;
  /**
   * What one call may use at most. It is reserved before the call, and counts whole unless the call says with
   * `context.spend` what it has used.
   */
  readonly cost?: Usage;
  /** Its calls that a person must approve, in every run: rules as a program has them, without `tool`. At most 16. */
  readonly approvals?: readonly ToolApprovalRule[];
  run(args: z.output<Input>, context: ToolContext): MaybePromise<z.input<Output>>;
};

type Verify<Input extends z.ZodType<object>, Output extends z.ZodType> = (
  args: z.output<Input>,
  question: ToolQuestion,
) => MaybePromise<ToolVerdict<z.input<Output>>>;

/** What a developer writes. `replay` says what the runtime may do with a call that may have acted; it has no default. */
export type ToolDefinition<Input extends z.ZodType<object>, Output extends z.ZodType> = Common<Input, Output> &
  (
    | { readonly replay: 'pure' | 'repeatable' | Unprotected; readonly verify?: never }
    | { readonly replay: Keyed; readonly verify?: Verify<Input, Output> }
    | { readonly replay: Verifiable; readonly verify: Verify<Input, Output> }
  );
