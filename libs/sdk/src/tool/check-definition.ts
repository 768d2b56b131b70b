import { DEFAULTS, replayPolicies, usageSchema, type ReplayPolicy } from '@holdfast/events';
import { toolApprovalRulesSchema } from '@holdfast/programs';
import { z } from 'zod';
import { InvalidTool } from './invalid-tool.js';

/** The parts of a definition that can be checked without its types: it may come from plain JavaScript. */
export type LooseDefinition = {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly description?: unknown;
  readonly queue?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly replay?: unknown;
  readonly timeoutMs?: unknown;
  readonly spawns?: unknown;
  readonly cost?: unknown;
  readonly approvals?: unknown;
  readonly run?: unknown;
  readonly verify?: unknown;
  readonly compensate?: unknown;
};

export type CheckedReplay = {
  readonly policy: ReplayPolicy;
  readonly settleMs: number;
  readonly keyTtlMs: number | null;
};

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
const QUEUE = /^[a-z][a-z0-9-]{0,49}$/;
const DAY = 86_400_000;
const DESCRIPTION_MAX = 4_096;

/** The name for messages, also of a tool whose name is missing. */
export const labelOf = (definition: LooseDefinition): string => {
  const name = typeof definition.name === 'string' && definition.name !== '' ? definition.name : 'without a name';
  return typeof definition.version === 'string' ? `${name}@${definition.version}` : name;
};

export const refuse = (definition: LooseDefinition, problem: string): never => {
  throw new InvalidTool(`tool ${labelOf(definition)}: ${problem}`);
};

/** Refuses what would only be noticed in the middle of a run. */
export const checkDefinition = (definition: LooseDefinition): CheckedReplay => {
  if (typeof definition !== 'object' || definition === null) throw new InvalidTool('a tool needs a definition object');
  const { name, version, queue, timeoutMs, run, verify, spawns } = definition;
  if (typeof name !== 'string' || !NAME.test(name)) {
    refuse(definition, 'name must start with a letter and hold at most 100 letters, digits, _, . or -');
  }
  if (typeof version !== 'string' || !VERSION.test(version)) {
    refuse(definition, `version must hold 1 to 32 letters, digits, _, . or -; for example version: '1'`);
  }
  if (queue !== undefined && (typeof queue !== 'string' || !QUEUE.test(queue))) {
    refuse(definition, 'queue must start with a lower-case letter and hold at most 50 lower-case letters, digits or -');
  }
  const { description } = definition;
  if (description !== undefined && (typeof description !== 'string' || description.length > DESCRIPTION_MAX)) {
    refuse(definition, `description must be a text of at most ${DESCRIPTION_MAX} characters`);
  }
  if (!isSchema(definition.input)) refuse(definition, 'add input: a zod object schema of its arguments');
  if (!isSchema(definition.output)) refuse(definition, 'add output: a zod schema of its result');
  if (!isWhole(timeoutMs, 1, DAY))
    refuse(definition, 'timeoutMs must be a whole number of ms from 1 to 86400000 (a day)');
  if (typeof run !== 'function') refuse(definition, 'add run: the function that does the work');
  if (verify !== undefined && typeof verify !== 'function') refuse(definition, 'verify must be a function');
  if (spawns !== undefined && typeof spawns !== 'boolean') refuse(definition, 'spawns must be true or false');
  checkCost(definition);
  checkApprovals(definition);
  return checkReplay(definition);
};

const checkCost = (definition: LooseDefinition): void => {
  if (definition.cost === undefined) return;
  const checked = usageSchema.safeParse(definition.cost);
  if (!checked.success) refuse(definition, `cost does not fit: ${z.prettifyError(checked.error)}`);
};

const checkApprovals = (definition: LooseDefinition): void => {
  if (definition.approvals === undefined) return;
  const checked = toolApprovalRulesSchema.safeParse(definition.approvals);
  if (!checked.success) refuse(definition, `approvals do not fit: ${z.prettifyError(checked.error)}`);
};

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && '_zod' in value;

const isWhole = (value: unknown, min: number, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;

const isPolicy = (value: unknown): value is ReplayPolicy => (replayPolicies as readonly unknown[]).includes(value);

const checkReplay = (definition: LooseDefinition): CheckedReplay => {
  const { replay, verify } = definition;
  if (replay === undefined) {
    refuse(
      definition,
      `add replay, which says what may be done with a call that may have acted: ` +
        `'pure', 'repeatable', or { policy: 'keyed' | 'verifiable' | 'unprotected', … }`,
    );
  }
  const given = typeof replay === 'string' ? { policy: replay } : replay;
  const policy = (given as { policy?: unknown } | null)?.policy;
  if (!isPolicy(policy)) {
    return refuse(definition, `replay policy ${String(policy)} is not known; known are ${replayPolicies.join(', ')}`);
  }
  if (verify !== undefined && policy !== 'keyed' && policy !== 'verifiable') {
    refuse(definition, `has verify but is ${policy}; make it { policy: 'verifiable', settleMs } or remove verify`);
  }
  const { settleMs, keyTtlMs } = given as { settleMs?: unknown; keyTtlMs?: unknown };
  if (settleMs !== undefined && !isWhole(settleMs, 0, DAY)) {
    refuse(definition, 'settleMs must be a whole number of ms from 0 to 86400000 (a day)');
  }
  if (policy === 'pure' || policy === 'repeatable') return { policy, settleMs: 0, keyTtlMs: null };
  const settled = (settleMs as number | undefined) ?? DEFAULTS.settleMs;
  if (policy === 'verifiable') checkVerifiable(definition, settleMs);
  if (policy !== 'keyed') return { policy, settleMs: settled, keyTtlMs: null };
  return { policy, settleMs: settled, keyTtlMs: checkKeyTtl(definition, keyTtlMs, settled) };
};

const checkVerifiable = (definition: LooseDefinition, settleMs: unknown): void => {
  if (settleMs === undefined) {
    refuse(definition, 'is verifiable; add settleMs: how long after its deadline what was sent may still land, in ms');
  }
  if (definition.verify === undefined) {
    refuse(definition, 'is verifiable; add verify(args, question) that tells applied, absent or unknown');
  }
};

const checkKeyTtl = (definition: LooseDefinition, keyTtlMs: unknown, settleMs: number): number => {
  if (!isWhole(keyTtlMs, 1, Number.MAX_SAFE_INTEGER)) {
    return refuse(definition, 'is keyed; add keyTtlMs: how long repeats of a key are dropped, in ms');
  }
  const least = DEFAULTS.startByMs + (definition.timeoutMs as number) + settleMs;
  if (keyTtlMs <= least) {
    return refuse(
      definition,
      `keyTtlMs is ${keyTtlMs}, but a key must be remembered for longer than ${least} ms: ` +
        `${DEFAULTS.startByMs} until the call must have started + timeoutMs ${String(definition.timeoutMs)} + settleMs ${settleMs}; ` +
        `without that it cannot be called keyed`,
    );
  }
  return keyTtlMs;
};
