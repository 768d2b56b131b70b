import { z } from 'zod';
import { asking } from './asking.js';
import { json, type Json } from './json.js';
import { follow } from './resolve.js';
import { isJsonArray, isJsonObject } from './template.js';

const PATH = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/;

const conditionSchema = z.strictObject({
  /** Where in the arguments: `amount`, `to.country`, `lines[0].sku`. */
  path: z.string().max(500).regex(PATH, 'must look like amount, to.country or lines[0].sku'),
  is: z.enum(['equals', 'not', 'above', 'below', 'matches']),
  /** For `matches` a text in which `*` stands for any characters. */
  value: json,
});

const comparesNumbers = ({ is, value }: Condition): boolean =>
  (is !== 'above' && is !== 'below') || amountOf(value) !== null;
const matchesText = ({ is, value }: Condition): boolean => is !== 'matches' || typeof value === 'string';

/** Which calls a person must approve. All conditions must hold; without any, every call of the tool needs it. */
export const approvalRuleSchema = z.strictObject({
  /** `name@version`, or `name` for all its versions. */
  tool: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_.-]{0,99}(?:@[A-Za-z0-9][A-Za-z0-9_.-]{0,31})?$/,
      'must look like name or name@version',
    ),
  when: z
    .array(
      conditionSchema
        .refine(comparesNumbers, 'above and below need a number, or a decimal number as text')
        .refine(matchesText, 'matches needs a text'),
    )
    .min(1)
    .max(16)
    .optional(),
  ...asking,
  /** How long the approval may be used once it is given. */
  usableMs: z
    .int()
    .min(1)
    .max(365 * 86_400_000)
    .optional(),
  onSilence: z.enum(['end', 'fail']).optional(),
});
/** Rules that one run has, those of its submission and of its program together. */
export const APPROVAL_RULES_MAX = 64;
export const approvalRulesSchema = z.array(approvalRuleSchema).max(APPROVAL_RULES_MAX);
export type ApprovalRule = z.infer<typeof approvalRuleSchema>;
type Condition = z.infer<typeof conditionSchema>;

/** The rules of several lists, each once: a run that begins others hands its rules down, and they may know them already. */
export const approvalRulesOf = (
  ...lists: readonly (readonly ApprovalRule[] | undefined)[]
): readonly ApprovalRule[] => [
  ...new Map(lists.flatMap((rules) => rules ?? []).map((rule) => [JSON.stringify(rule), rule])).values(),
];

/** The first rule by which a call needs a person's approval. */
export const approvalRuleFor = (rules: readonly ApprovalRule[], tool: string, args: Json): ApprovalRule | undefined =>
  rules.find((rule) => isAbout(rule, tool) && (rule.when ?? []).every((condition) => holds(condition, args)));

/** Whether a rule speaks of a tool. */
export const isAbout = (rule: Pick<ApprovalRule, 'tool'>, tool: string): boolean =>
  rule.tool === tool || tool.startsWith(`${rule.tool}@`);

/** What cannot be judged, because it is not there or is no number, holds: rather a question too many than a call too many. */
const holds = ({ path, is, value }: Condition, args: Json): boolean => {
  const found = follow(
    args,
    path.split(/[.[\]]+/).filter((part) => part !== ''),
    path,
  );
  if ('problem' in found) return true;
  switch (is) {
    case 'equals':
      return isSame(found.value, value);
    case 'not':
      return !isSame(found.value, value);
    case 'matches':
      return typeof found.value !== 'string' || typeof value !== 'string' || isLike(found.value, value);
    default: {
      const order = compare(found.value, value);
      return order === null || (is === 'above' ? order > 0 : order < 0);
    }
  }
};

const isSame = (a: Json, b: Json): boolean => {
  if (isJsonArray(a) || isJsonArray(b)) {
    const both = isJsonArray(a) && isJsonArray(b) && a.length === b.length;
    return both && a.every((element, index) => isSame(element, b[index] ?? null));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
  );
};

/** Found from left to right, each part as early as it can be: no pattern takes long. */
const isLike = (text: string, pattern: string): boolean => {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
};

const AMOUNT = /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/;
const PLACES = 60;

/** A number, or a decimal number as text such as an amount of money, exactly; null for anything else. */
const amountOf = (value: Json): bigint | null => {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const [, sign, whole, fraction = ''] = AMOUNT.exec(String(value)) ?? [];
  if (whole === undefined) return null;
  const amount = BigInt(`${whole}${fraction.padEnd(PLACES, '0')}`);
  return sign === '-' ? -amount : amount;
};

const compare = (a: Json, b: Json): number | null => {
  const [left, right] = [amountOf(a), amountOf(b)];
  if (left === null || right === null) return null;
  return left === right ? 0 : left > right ? 1 : -1;
};
