import { z } from 'zod';
import { asking } from './asking.js';
import { json, type Json } from './json.js';
import { follow } from './resolve.js';
import { sameJson, type AreAlike } from './same-json.js';

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
/** What a tool itself says about its calls: such a rule holds in every run. */
export const toolApprovalRuleSchema = approvalRuleSchema.omit({ tool: true });
export type ToolApprovalRule = z.infer<typeof toolApprovalRuleSchema>;
/** Rules of one tool. */
export const TOOL_APPROVALS_MAX = 16;
export const toolApprovalRulesSchema = z.array(toolApprovalRuleSchema).max(TOOL_APPROVALS_MAX);

/** People whom several rules name for one call: they stand in the history each time. */
const ASKED_TOGETHER_MAX = 64;
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

/** All rules by which a call needs a person's approval, as one: no rule makes another one milder. */
export const approvalRuleFor = (rules: readonly ApprovalRule[], tool: string, args: Json): ApprovalRule | undefined => {
  const all = rules.filter(
    (rule) => isAbout(rule, tool) && (rule.when ?? []).every((condition) => holds(condition, args)),
  );
  if (all.length <= 1) return all[0];
  return {
    tool,
    ...assigneesOf(all),
    ...leastOf(all, 'remindEveryMs'),
    ...leastOf(all, 'withinMs'),
    ...leastOf(all, 'usableMs'),
    onSilence: all.every(({ onSilence }) => onSilence === 'fail') ? 'fail' : 'end',
  };
};

/** Everybody whom a rule names, from the earliest moment that one names. */
const assigneesOf = (rules: readonly ApprovalRule[]): Pick<ApprovalRule, 'assignees'> => {
  const named = rules.flatMap(({ assignees }) => assignees ?? []).toSorted((a, b) => a.afterMs - b.afterMs);
  const first = named.filter(({ to }, index) => named.findIndex((one) => one.to === to) === index);
  return first.length === 0 ? {} : { assignees: first.slice(0, ASKED_TOGETHER_MAX) };
};

const leastOf = <K extends 'remindEveryMs' | 'withinMs' | 'usableMs'>(
  rules: readonly ApprovalRule[],
  name: K,
): Pick<ApprovalRule, K> | object => {
  const said = rules.flatMap((rule) => rule[name] ?? []);
  return said.length === 0 ? {} : { [name]: Math.min(...said) };
};

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
      return sameJson(found.value, value, isSameAmount);
    case 'not':
      return !sameJson(found.value, value, isSureAmount);
    case 'matches':
      return typeof found.value !== 'string' || typeof value !== 'string' || isLike(found.value, value);
    default: {
      const order = compare(found.value, value);
      return order === null || (is === 'above' ? order > 0 : order < 0);
    }
  }
};

const isSameAmount: AreAlike = (a, b) => compare(a, b) === 0;
/** Two texts may be no amounts, as in versions: then 1.10 is not 1.1. */
const isSureAmount: AreAlike = (a, b) => (typeof a === 'number' || typeof b === 'number') && isSameAmount(a, b);

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
/** As numbers are written that are very large or very small; a text like that is no amount. */
const NUMBER = /^(-?)(\d{1,60})(?:\.(\d{1,60}))?(?:e([+-]\d{1,3}))?$/;
const PLACES = 60 + 999;

/** A number, or a decimal number as text such as an amount of money, exactly; null for anything else. */
const amountOf = (value: Json): bigint | null => {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const [, sign, whole, fraction = '', exponent = '0'] =
    (typeof value === 'number' ? NUMBER : AMOUNT).exec(String(value)) ?? [];
  if (whole === undefined) return null;
  const amount = BigInt(`${whole}${fraction}`) * 10n ** BigInt(PLACES + Number(exponent) - fraction.length);
  return sign === '-' ? -amount : amount;
};

const compare = (a: Json, b: Json): number | null => {
  const [left, right] = [amountOf(a), amountOf(b)];
  if (left === null || right === null) return null;
  return left === right ? 0 : left > right ? 1 : -1;
};
