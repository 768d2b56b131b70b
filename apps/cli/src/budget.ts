import { InvalidArgumentError } from 'commander';
import { budgetSchema, UNLIMITED, type Budget, type Json } from '@holdfast/programs';
import { duration } from './duration.js';
import { jsonOrFile } from './input.js';
import { EXIT, Problem } from './problem.js';

/** What `--budget` was given, in order: JSON, the path of a file, or `key=value`. */
export const budgetOption = (text: string, known: readonly string[] = []): readonly string[] => {
  if (text.trim() === '') throw new InvalidArgumentError('give key=value, JSON or a file');
  return [...known, text];
};

export const BUDGET_HELP = [
  '--budget <file|json|key=value>',
  'what it may use, such as effects=100, calls.pay=3, money=2.50EUR, idle=10m, steps=unlimited; may be repeated',
] as const;

/** The budget that an option asks for. What is wrong with it is told by the name of its field. */
export const budgetOf = async (given: readonly string[]): Promise<Budget> => {
  const parts = await Promise.all(given.map(async (text) => (isPair(text) ? pair(text) : whole(text))));
  const asked = parts.reduce<Record<string, Json>>((sum, part) => merged(sum, part), {});
  const checked = budgetSchema.safeParse(asked);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'budget'}: ${message}`);
  throw new Problem(
    EXIT.usage,
    `the budget cannot be used: ${problems.join('; ')}`,
    'Correct it; see docs/budgets.md.',
  );
};

const isPair = (text: string): boolean => /^[A-Za-z]+(\.[^=\s]+)?=/.test(text);

const whole = async (text: string): Promise<Record<string, Json>> => {
  const read = await jsonOrFile(text, 'the budget');
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, Json>;
  throw new Problem(EXIT.usage, 'the budget is no JSON object', 'Give an object such as {"effects": 100}.');
};

const pair = (text: string): Record<string, Json> => {
  const at = text.indexOf('=');
  const [key, value] = [text.slice(0, at), text.slice(at + 1)];
  if (key === 'idle') return { idleMs: value === UNLIMITED ? value : duration(value) };
  if (key === 'money') return { money: money(value) };
  if (key.startsWith('calls.')) return { calls: { [key.slice('calls.'.length)]: count(value) } };
  return { [key]: count(value) };
};

const count = (text: string): Json => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

const money = (text: string): Json => {
  const [, amount, currency] = /^\s*([\d.]+)\s*([A-Za-z]\w*)\s*$/.exec(text) ?? [];
  return amount === undefined || currency === undefined ? text : { amount, currency: currency.toUpperCase() };
};

/** Calls of several tools are one field. */
const merged = (sum: Record<string, Json>, part: Record<string, Json>): Record<string, Json> => {
  const [before, after] = [sum['calls'], part['calls']];
  const both = isObject(before) && isObject(after) ? { calls: { ...before, ...after } } : {};
  return { ...sum, ...part, ...both };
};

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
