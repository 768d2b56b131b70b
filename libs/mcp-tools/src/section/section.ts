import { jsonSchema as json, toolApprovalRulesSchema } from '@holdfast/programs';
import { isByReference, isCalledCredential } from '@holdfast/sdk';
import { z } from 'zod';
import { templateProblem } from './template.js';

const DAY = 86_400_000;
const MIB = 1024 * 1024;
const name = z.string().min(1).max(128);
const ms = (least: number) => z.int().min(least).max(DAY);

/** A text, or `{ $env: NAME }`; inside a text `${env:NAME}`. */
const referable = z.union([z.string(), z.strictObject({ $env: z.string() })]);

const template = (roots: readonly string[]) =>
  json.superRefine((value, context) => {
    const problem = templateProblem(value, roots);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

export const ASKING_ROOTS = ['args', 'sent', 'key', 'marker'] as const;
export const RESULT_ROOTS = [...ASKING_ROOTS, 'answer'] as const;

const verdict = z.enum(['applied', 'absent', 'unknown']);
const PLACE = /^(?:text|json|structured)(?:\.[^.[\]]+|\[\d+\])*$/;

/** What an answer must be like, and what that says of the effect. */
const ruleSchema = z
  .strictObject({
    /** `text`, or a path into `json` (the text, read as JSON) or `structured`. Default `text`. */
    at: z.string().max(500).regex(PLACE, 'must look like text, json.total or structured.items[0].id').optional(),
    equals: template(ASKING_ROOTS).optional(),
    contains: template(ASKING_ROOTS).optional(),
    lacks: template(ASKING_ROOTS).optional(),
    missing: z.literal(true).optional(),
    /** The answer is an error, and its text contains this. */
    error: z.string().min(1).max(1_000).optional(),
    verdict,
  })
  .refine(
    (rule) => CONDITIONS.filter((condition) => rule[condition] !== undefined).length === 1,
    'needs exactly one of equals, contains, lacks, missing, error',
  )
  .refine((rule) => rule.error === undefined || rule.at === undefined, 'error looks at the text: leave at out');
const CONDITIONS = ['equals', 'contains', 'lacks', 'missing', 'error'] as const;
export type Rule = z.infer<typeof ruleSchema>;

const readBackSchema = z.strictObject({
  tool: name,
  args: template(ASKING_ROOTS).default({}),
  /** In order; the first that holds gives the verdict. */
  rules: z.array(ruleSchema).min(1).max(32),
  otherwise: verdict.exclude(['applied']).default('unknown'),
  /** What the recovered result says as `structured`. */
  result: template(RESULT_ROOTS).optional(),
});
export type ReadBack = z.infer<typeof readBackSchema>;

const markerSchema = z.strictObject({
  argument: name,
  text: z.string().max(1_000).includes('{marker}', 'must hold {marker}').default('\n\n[{marker}]'),
});

const toolSchema = z
  .strictObject({
    /** Its name here, after the server's. */
    as: z.string().optional(),
    policy: z.enum(['pure', 'repeatable', 'keyed', 'verifiable', 'unprotected']),
    settleMs: ms(0).optional(),
    keyTtlMs: z.int().min(1).optional(),
    keyArgument: name.optional(),
    marker: markerSchema.optional(),
    readBack: readBackSchema.optional(),
    /** `none` is a promise: an answer that is an error means that nothing was changed. */
    errors: z.enum(['none', 'unknown']).default('unknown'),
    /** Whether an answer that is an error is worth another try. */
    retryErrors: z.boolean().default(true),
    callMs: ms(1).optional(),
    /** Its calls that a person must approve, in every run. */
    approvals: toolApprovalRulesSchema.optional(),
  })
  .superRefine(({ policy, keyTtlMs, keyArgument, readBack, settleMs }, context) => {
    const say = (message: string): void => context.addIssue({ code: 'custom', message });
    if (policy === 'keyed' && (keyArgument === undefined || keyTtlMs === undefined)) {
      say('keyed needs keyArgument (which argument carries the key) and keyTtlMs (how long the server drops repeats)');
    }
    if (policy !== 'keyed' && keyTtlMs !== undefined) say(`keyTtlMs is for keyed, and this is ${policy}`);
    if (policy === 'verifiable' && (readBack === undefined || settleMs === undefined)) {
      say('verifiable needs readBack (what is asked) and settleMs (how long a call that was sent may still land)');
    }
    if (readBack !== undefined && policy !== 'verifiable' && policy !== 'keyed') {
      say(`readBack is for verifiable and keyed, and this is ${policy}`);
    }
  });
export type ToolSettings = z.infer<typeof toolSchema>;

const common = {
  /** The version of all its tools here. */
  version: z.string(),
  queue: z.string().optional(),
  startMs: ms(1).default(30_000),
  callMs: ms(1).default(60_000),
  concurrency: z.int().min(1).max(256).default(8),
  /** Most bytes of one message that are read from it. */
  answerBytes: z
    .int()
    .min(1_024)
    .max(64 * MIB)
    .default(8 * MIB),
  /** A file with its tools, as `holdfast tools inspect --pin` writes it: the server is then started at the first call. */
  pin: z.string().min(1).optional(),
  only: z.array(name).min(1).max(1_000).optional(),
  tools: z.record(name, toolSchema).default({}),
};

const byReference = (values: Readonly<Record<string, z.infer<typeof referable>>>): string | null => {
  const literal = Object.entries(values).find(([key, value]) => isCalledCredential(key) && !isByReference(value));
  if (literal === undefined) return null;
  return `${literal[0]} looks like a credential: write { $env: NAME }, or \${env:NAME} inside the text, and set NAME`;
};
const referables = z.record(z.string().min(1), referable).superRefine((values, context) => {
  const problem = byReference(values);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const localSchema = z.strictObject({
  ...common,
  command: z.string().min(1),
  args: z.array(referable).default([]),
  env: referables.default({}),
  /** From the folder of the file. */
  cwd: z.string().min(1).optional(),
  /** Whether it may leave processes behind that outlive the worker's process group, as `docker run` does. */
  outlives: z.boolean().default(false),
});

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const hasUser = (text: string): boolean =>
  URL.canParse(text) && (new URL(text).username !== '' || new URL(text).password !== '');
const remoteSchema = z.strictObject({
  ...common,
  url: z
    .string()
    .refine(isHttp, 'must be an http: or https: URL')
    .refine((text) => !hasUser(text), 'must not hold a user or password: send them in headers, by reference'),
  headers: referables.default({}),
});

const SERVER = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const either = z.unknown().transform((value, context): LocalServer | RemoteServer => {
  const given = typeof value === 'object' && value !== null ? value : {};
  const ways = ['command', 'url'].filter((way) => Object.hasOwn(given, way));
  if (ways.length !== 1) {
    context.addIssue({ code: 'custom', message: 'needs either command (a program to start) or url' });
    return z.NEVER;
  }
  const checked = (ways[0] === 'command' ? localSchema : remoteSchema).safeParse(value);
  if (checked.success) return checked.data;
  // As they are: the loader says the place of an unknown key by its kind.
  for (const issue of checked.error.issues) context.addIssue(issue as Parameters<typeof context.addIssue>[0]);
  return z.NEVER;
});
type LocalServer = z.infer<typeof localSchema>;
type RemoteServer = z.infer<typeof remoteSchema>;

/** The section `mcp:` of a tool file: MCP servers by the names that their tools have here. */
export const sectionSchema = z.record(z.string(), either).superRefine((servers, context) => {
  for (const name of Object.keys(servers)) {
    if (SERVER.test(name)) continue;
    const message = 'a server is named by a letter, then at most 39 letters, digits, _ or -';
    context.addIssue({ code: 'custom', path: [name], message });
  }
});
export type ServerSettings = LocalServer | RemoteServer;
