import { schemaProblem, type Json, type JsonSchema } from '@holdfast/programs';
import { referencesInRules, type AnswerRule } from '../answer/answers.js';
import { refuse, type Place } from '../place.js';
import { referencesInRequest, type RequestPlan } from '../request/request.js';
import type { Pointer } from '../template/pointer.js';
import type { Reference } from '../template/reference.js';
import { referencesIn, type Template } from '../template/template.js';
import type { ToolFields } from './definition.js';
import type { Lookup } from './lookup.js';

export type ToolPlan = {
  readonly request: RequestPlan;
  readonly lookup: Lookup | null;
  readonly rules: readonly AnswerRule[];
  readonly result: Template | null;
  /** Null where the key belongs to the step. */
  readonly keyFrom: readonly Pointer[] | null;
  /** Null where the key is sent by a template, or not at all. */
  readonly keyHeader: string | null;
};

type Fields = Pick<ToolFields, 'policy' | 'input' | 'output' | 'force' | 'keyTtlMs' | 'settleMs' | 'method'>;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses what the policy cannot hold with this request, and references to arguments that are not declared. */
export const checkPlan = (plan: ToolPlan, fields: Fields, place: Place): void => {
  checkArguments(plan, fields.input, place);
  for (const name of ['input', 'output'] as const) {
    const problem = schemaProblem((fields[name] ?? {}) as JsonSchema);
    if (problem !== undefined) refuse(`${place}.${name}`, `is no JSON Schema that can be used: ${problem}`);
  }
  const { policy, method } = fields;
  if (policy === 'pure' && !SAFE.has(method) && fields.force !== true) {
    refuse(
      `${place}.policy`,
      `${method} may change something, so it is not pure; if it surely changes nothing and costs nothing, add force: true`,
    );
  }
  if (fields.force !== undefined && policy !== 'pure') refuse(`${place}.force`, 'is for pure alone');
  if (policy !== 'keyed') {
    if (fields.keyTtlMs !== undefined) refuse(`${place}.keyTtlMs`, `is for keyed alone, and the policy is ${policy}`);
    if (plan.keyFrom !== null && policy !== 'verifiable')
      refuse(`${place}.key`, `is for keyed and verifiable, and the policy is ${policy}`);
  }
  if ((policy === 'pure' || policy === 'repeatable') && fields.settleMs !== undefined) {
    refuse(`${place}.settleMs`, `is for policies with effects, and ${policy} has none`);
  }
  checkKey(plan, policy, place);
  checkLookup(plan, policy, place);
};

const mentions = (references: readonly Reference[], root: Reference['root']): boolean =>
  references.some((reference) => reference.root === root);

const sendsKey = ({ keyHeader, request }: ToolPlan): boolean =>
  keyHeader !== null || mentions(referencesInRequest(request), 'key');

const checkKey = (plan: ToolPlan, policy: string, place: Place): void => {
  const { keyHeader, request } = plan;
  const own = request.headers.find(([name]) => name.toLowerCase() === keyHeader) ?? null;
  if (own !== null || (keyHeader !== null && request.auth?.[0] === keyHeader)) {
    refuse(`${place}.keyHeader`, `${keyHeader ?? ''} is sent by the policy and stands in the request as well`);
  }
  if (policy === 'keyed' && !sendsKey(plan)) {
    refuse(`${place}.keyHeader`, 'is null, so {key} must stand somewhere in the request');
  }
};

const checkLookup = (plan: ToolPlan, policy: string, place: Place): void => {
  const { lookup } = plan;
  if (lookup === null) {
    if (policy === 'verifiable')
      refuse(place, 'is verifiable; add lookup: the request that shows what became of a call');
    return;
  }
  const here = `${place}.lookup`;
  if (policy !== 'verifiable' && policy !== 'keyed')
    refuse(here, `is for verifiable and keyed, and the policy is ${policy}`);
  const asked = [...referencesInRequest(lookup.request), ...referencesInRules(lookup.rules)];
  if (!mentions(asked, 'key') && !mentions(asked, 'args')) {
    refuse(here, 'asks the same for every call: {key} or an argument must stand in its request or its rules');
  }
  if (mentions(asked, 'key') && !mentions(asked, 'args') && !sendsKey(plan)) {
    refuse(here, 'asks by the key, which the request itself does not send: put {key} into its headers or body');
  }
};

/** A name that is written wrong would be left out in silence. */
const checkArguments = (plan: ToolPlan, input: ToolFields['input'], place: Place): void => {
  const properties = input?.['properties'];
  const declared = new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
  const used = [
    ...referencesInRequest(plan.request),
    ...referencesInRules(plan.rules),
    ...(plan.result === null ? [] : referencesIn(plan.result)),
    ...(plan.lookup === null
      ? []
      : [...referencesInRequest(plan.lookup.request), ...referencesInRules(plan.lookup.rules)]),
    ...(plan.lookup?.rules.flatMap(({ result }) => (result === null ? [] : referencesIn(result))) ?? []),
  ];
  for (const { root, path, text } of used) {
    const [name] = path;
    if (root === 'args' && name !== undefined && !declared.has(name)) {
      refuse(place, `${text} is not declared: input.properties has no ${name}`);
    }
  }
  for (const { path, text } of plan.keyFrom ?? []) {
    const [name] = path;
    if (name === undefined || !declared.has(name))
      refuse(`${place}.key.from`, `${text} is not declared in input.properties`);
    if (!isRequired(input, name ?? ''))
      refuse(`${place}.key.from`, `${text} must be required by input, or calls without it would have no key`);
  }
};

const isRequired = (input: ToolFields['input'], name: string): boolean => {
  const required = input?.['required'] as Json | undefined;
  return Array.isArray(required) && required.includes(name);
};
