import type { Json } from '@holdfast/programs';
import { absent, applied, sha256, unknown, type ToolQuestion, type ToolVerdict } from '@holdfast/sdk';
import { judge, readCondition, type Condition } from '../answer/conditions.js';
import type { Answer } from '../answer/read-answer.js';
import { refuse, type Place } from '../place.js';
import { readRequest, type RequestPlan } from '../request/request.js';
import { at, readPointer, type Pointer } from '../template/pointer.js';
import { answered, type Scene } from '../template/reference.js';
import { fill, readTemplate, type Template } from '../template/template.js';
import type { LookupFields } from './definition.js';
import { exchange, type Bounds } from './exchange.js';

type Rule = {
  readonly when: Condition;
  readonly verdict: 'applied' | 'absent' | 'unknown';
  readonly record: Pointer | null;
  readonly result: Template | null;
};

/** How to find out what became of a call. */
export type Lookup = { readonly request: RequestPlan; readonly rules: readonly Rule[] };

export const readLookup = (fields: LookupFields, place: Place): Lookup => ({
  request: readRequest(fields.method, fields, place),
  rules: fields.rules.map((raw, index) => {
    const here = `${place}.rules[${index}]`;
    const when = readCondition(raw.when, `${here}.when`);
    if (raw.verdict === 'absent') mustProve(when, `${here}.when.status`);
    if (raw.verdict !== 'applied' && (raw.record !== undefined || raw.result !== undefined)) {
      refuse(here, `record and result belong to applied; ${raw.verdict} has none`);
    }
    return {
      when,
      verdict: raw.verdict,
      record: raw.record === undefined ? null : readPointer(raw.record, `${here}.record`),
      result: raw.result === undefined ? null : readTemplate(raw.result as Json, answered, `${here}.result`),
    };
  }),
});

const PROVES_NOTHING = /^(?:[135]|40[1378]$|42[59]$|4xx$)/;

/** An answer that says "not now" or "not you" says nothing about what is there. */
const mustProve = ({ statuses }: Condition, place: Place): void => {
  const wrong = statuses.find((status) => PROVES_NOTHING.test(String(status)));
  if (wrong !== undefined)
    refuse(place, `${wrong} does not show that the effect is absent: whoever answered has not looked`);
};

export type Recover = (scene: Scene) => Json;

/** Asks once. `recover` makes the result that the call would have had out of the record that was found. */
export const askLookup = async (
  { request, rules }: Lookup,
  scene: Scene,
  asking: { readonly question: ToolQuestion; readonly bounds: Bounds; readonly recover: Recover },
): Promise<ToolVerdict<Json>> => {
  const { target, answer } = await exchange(request, scene, asking.question, asking.bounds);
  const whole: Scene = { ...scene, status: answer.status, headers: answer.headers, body: answer.body };
  for (const [index, rule] of rules.entries()) {
    const fit = judge(rule.when, answer, whole);
    if (!fit.fits) continue;
    const evidence = evidenceOf(target, answer, `rule ${index + 1} fits: ${rule.verdict}`);
    if (rule.verdict === 'absent') return absent(evidence);
    if (rule.verdict === 'unknown') return unknown(evidence);
    const body = recordIn(rule, answer.body, fit.found);
    if (body === undefined)
      return unknown(evidenceOf(target, answer, `rule ${index + 1} fits, but its record is not there`));
    const found: Scene = { ...whole, body };
    return applied(rule.result === null ? asking.recover(found) : fill(rule.result, found), evidence);
  }
  return unknown(evidenceOf(target, answer, 'no rule fits'));
};

/** With `where`, the entry that was found; or what the rule points at, in it or in the whole answer. */
const recordIn = ({ when, record }: Rule, body: Json, found: Json | undefined): Json | undefined => {
  const around = when.where === undefined ? body : found;
  if (around === undefined || record === null) return around;
  return at(record, around);
};

const EXCERPT_BYTES = 2_000;

const evidenceOf = (target: string, { status, body, text }: Answer, what: string) => {
  const bytes = Buffer.byteLength(text);
  const said = bytes <= EXCERPT_BYTES ? { body } : {};
  return {
    summary: `${target} was answered with ${status}; ${what}`,
    details: { status, bytes, sha256: sha256(text), ...said },
  };
};
