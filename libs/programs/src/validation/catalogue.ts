import type { ToolApprovalRule } from '../approvals.js';
import type { Json } from '../plan.js';

/** A JSON Schema (2020-12) object. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** What a plan must know of a tool. The catalogue has it under `name@version`. */
export type CatalogueTool = {
  readonly name: string;
  readonly version: string;
  readonly description?: string | undefined;
  readonly policy: 'pure' | 'repeatable' | 'keyed' | 'verifiable' | 'unprotected';
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly timeoutMs: number;
  readonly settleMs?: number | undefined;
  readonly keyTtlMs?: number | undefined;
  /** Its calls that a person must approve, in every run. */
  readonly approvals?: readonly ToolApprovalRule[] | undefined;
};

/** Tools by `name@version`, as steps name them. */
export type Catalogue = ReadonlyMap<string, CatalogueTool>;

export type PlanLimits = { readonly runDeadlineMs: number; readonly startByMs: number };
