import { canonicalJson, type ReplayPolicy } from '@holdfast/events';
import type { Json, JsonSchema } from '@holdfast/programs';
import {
  defineTool,
  HttpError,
  jsonObject,
  jsonValue,
  sha256,
  type Replay,
  type Tool,
  type ToolContext,
  type ToolQuestion,
} from '@holdfast/sdk';
import { mustHaveSucceeded, readAnswerRules } from '../answer/answers.js';
import { readEgress, type Egress } from '../egress/egress.js';
import { refuse, type Place } from '../place.js';
import { checkHeaderName } from '../request/headers.js';
import { readRequest, type RequestPlan } from '../request/request.js';
import { readPointer } from '../template/pointer.js';
import { answered, type Scene } from '../template/reference.js';
import { CannotFill, fill, readTemplate } from '../template/template.js';
import { businessKey } from './business-key.js';
import { checkPlan, type ToolPlan } from './check.js';
import type { ToolFields } from './definition.js';
import { beforeSending, exchange, type Bounds } from './exchange.js';
import { askLookup, readLookup } from './lookup.js';

const REQUEST_BYTES = 1024 * 1024;
const ANSWER_BYTES = 8 * 1024 * 1024;
const KEY_HEADER = 'Idempotency-Key';
/** One question has ten seconds in all; a request that takes longer is not worth the wait. */
const QUESTION_MS = 9_000;

/** What is open to every tool of a section. */
export type Around = { readonly egress: ToolFields['egress']; readonly egressPlace: Place };

/** Makes a tool of its description. Throws `InvalidTool` with the place of what is wrong. */
export const httpTool = (fields: ToolFields, around: Around, place: Place): Tool => {
  const plan = readPlan(fields, place);
  const egress = egressOf(fields, around, place);
  egress.checkOrigin(plan.request.address.origin, `${place}.url`);
  if (plan.lookup !== null) egress.checkOrigin(plan.lookup.request.address.origin, `${place}.lookup.url`);
  checkPlan(plan, fields, place);
  const limits = {
    requestBytes: fields.limits.request ?? REQUEST_BYTES,
    answerBytes: fields.limits.answer ?? ANSWER_BYTES,
  };
  const bounds: Bounds = { egress, limits, timeoutMs: fields.timeoutMs };
  const caller = new Caller(fields, plan, bounds);
  return defined(place, {
    name: fields.name,
    version: fields.version,
    ...(fields.description === undefined ? {} : { description: fields.description }),
    ...(fields.queue === undefined ? {} : { queue: fields.queue }),
    ...(fields.cost === undefined ? {} : { cost: fields.cost }),
    ...(fields.approvals === undefined ? {} : { approvals: fields.approvals }),
    input: jsonObject((fields.input ?? { additionalProperties: false }) as JsonSchema),
    output: jsonValue({ ...fields.output, $comment: `made of ${contentsOf(fields)}` } as JsonSchema),
    timeoutMs: fields.timeoutMs,
    replay: replayOf(fields),
    run: (args: Json, context: ToolContext) => caller.call(args, context),
    ...(plan.lookup === null ? {} : { verify: (args: Json, question: ToolQuestion) => caller.ask(args, question) }),
    // `policy` and what must stand beside it were checked above; the types of a definition are made for code.
  } as Parameters<typeof defineTool>[0]);
};

const defined = (place: Place, definition: Parameters<typeof defineTool>[0]): Tool => {
  try {
    return defineTool(definition) as Tool;
  } catch (error) {
    return refuse(place, (error as Error).message);
  }
};

/**
 * The hash of what a tool sends and how it reads answers. It stands in the catalogue, so that a version whose contents
 * were changed is noticed like one whose schemas were.
 */
const contentsOf = (fields: ToolFields): string => {
  const { method, url, query, headers, body, auth, answers, result, lookup, key, keyHeader } = fields;
  const parts = { method, url, query, headers, body, auth, answers, result, lookup, key, keyHeader };
  return sha256(canonicalJson(JSON.parse(JSON.stringify(parts)) as Json));
};

const readPlan = (fields: ToolFields, place: Place): ToolPlan => {
  const request = readRequest(fields.method, fields, place);
  const lookup = fields.lookup === undefined ? null : readLookup(fields.lookup, `${place}.lookup`);
  return {
    request,
    lookup: lookup === null ? null : { ...lookup, request: alike(lookup.request, request) },
    rules: readAnswerRules(fields.answers, `${place}.answers`),
    result: fields.result === undefined ? null : readTemplate(fields.result as Json, answered, `${place}.result`),
    keyFrom: fields.key?.from.map((pointer, index) => readPointer(pointer, `${place}.key.from[${index}]`)) ?? null,
    keyHeader: keyHeaderOf(fields, place),
  };
};

/** A lookup authenticates like the call, unless it says how itself or asks another host. */
const alike = (lookup: RequestPlan, call: RequestPlan): RequestPlan =>
  lookup.auth === null && lookup.address.origin === call.address.origin ? { ...lookup, auth: call.auth } : lookup;

/** Which header the key of a call is sent in, lower case. */
export const keyHeaderOf = (
  { policy, keyHeader }: { readonly policy: ReplayPolicy; readonly keyHeader?: string | null | undefined },
  place: Place,
): string | null => {
  const name = keyHeader === undefined ? (policy === 'keyed' ? KEY_HEADER : null) : keyHeader;
  if (name !== null) checkHeaderName(name, `${place}.keyHeader`);
  return name?.toLowerCase() ?? null;
};

const egressOf = (fields: ToolFields, around: Around, place: Place): Egress =>
  fields.egress === undefined
    ? readEgress(around.egress, around.egressPlace)
    : readEgress(fields.egress, `${place}.egress`);

const replayOf = ({ policy, settleMs, keyTtlMs }: ToolFields): Replay => {
  const settled = settleMs === undefined ? {} : { settleMs };
  const replays: Readonly<Record<ReplayPolicy, unknown>> = {
    pure: 'pure',
    repeatable: 'repeatable',
    keyed: { policy, keyTtlMs, ...settled },
    verifiable: { policy, ...settled },
    unprotected: { policy, ...settled },
  };
  return replays[policy] as Replay;
};

/** What one tool does when it is called and when it is asked. */
class Caller {
  private readonly name: string;

  constructor(
    private readonly fields: ToolFields,
    private readonly plan: ToolPlan,
    private readonly bounds: Bounds,
  ) {
    this.name = fields.name;
  }

  async call(args: Json, context: ToolContext): Promise<Json> {
    const scene = this.sceneOf(args, context.key);
    const { target, answer } = await exchange(this.keyed(scene), scene, context, this.bounds);
    const whole: Scene = { ...scene, status: answer.status, headers: answer.headers, body: answer.body };
    const isKeyed = this.fields.policy === 'keyed';
    mustHaveSucceeded(answer, whole, { rules: this.plan.rules, isKeyed, target, now: Date.now() });
    return this.resultOf(whole, target);
  }

  async ask(args: Json, question: ToolQuestion) {
    const scene = this.sceneOf(args, question.key);
    const { lookup } = this.plan;
    if (lookup === null) throw new TypeError(`${this.name} has no lookup`);
    const bounds = { ...this.bounds, timeoutMs: Math.min(this.bounds.timeoutMs, QUESTION_MS) };
    return askLookup(lookup, scene, { question, bounds, recover: (found) => this.resultOf(found, 'the record') });
  }

  private sceneOf(args: Json, stepKey: string): Scene {
    const { keyFrom } = this.plan;
    return { args, key: keyFrom === null ? stepKey : beforeSending(() => businessKey(this.name, keyFrom, args)) };
  }

  private keyed({ key }: Scene): RequestPlan {
    const { request, keyHeader } = this.plan;
    if (keyHeader === null) return request;
    return { ...request, headers: [...request.headers, [keyHeader, { kind: 'plain', value: key }]] };
  }

  /** Only what the answer lacks can go wrong here, and by then the call was made. */
  private resultOf(whole: Scene, target: string): Json {
    if (this.plan.result === null) return whole.body ?? null;
    try {
      return fill(this.plan.result, whole);
    } catch (error) {
      if (!(error instanceof CannotFill)) throw error;
      throw new HttpError(
        `${target}: the result cannot be made of the answer: ${error.message}`,
        'unexpected_answer',
        whole.status ?? null,
        { cause: error },
      );
    }
  }
}
