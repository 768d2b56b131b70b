import type { Json, Resolved } from '@holdfast/programs';
import { absent, applied, boundText, sha256, unknown, type ToolVerdict } from '@holdfast/sdk';
import type { ReadBack, Rule } from '../section/section.js';
import { filled, valueAt, type Values } from '../section/template.js';
import type { Answer } from '../server/connection.js';
import { BEGINNING_BYTES, textOf, type McpResult } from './result.js';

/** The answer to the question, with what the question was made of. */
export type Found = { readonly server: string; readonly asked: Json; readonly answer: Answer; readonly values: Values };

type Seen = { readonly text: string; readonly isError: boolean; readonly parts: Values };

/** The verdict that follows from an answer: that of the first rule that holds, or what is said for otherwise. */
export const judge = (readBack: ReadBack, found: Found): ToolVerdict<McpResult> => {
  const seen = seenIn(found.answer);
  const number = readBack.rules.findIndex((rule) => holds(rule, seen, found.values));
  const rule = readBack.rules[number];
  const verdict = rule?.verdict ?? readBack.otherwise;
  const why = rule === undefined ? 'no rule holds' : `rule ${number + 1} holds (${wordsOf(rule)})`;
  const evidence = {
    summary: `asked ${found.server} by ${readBack.tool}: ${why}, so ${verdict}`,
    details: {
      server: found.server,
      tool: readBack.tool,
      arguments: boundText(JSON.stringify(found.asked), BEGINNING_BYTES),
      answer: {
        error: seen.isError,
        bytes: Buffer.byteLength(seen.text),
        sha256: sha256(seen.text),
        beginning: boundText(seen.text, BEGINNING_BYTES),
      },
      rule: rule === undefined ? null : number + 1,
    },
  };
  if (verdict === 'absent') return absent(evidence);
  if (verdict === 'unknown') return unknown(evidence);
  const result = recovered(readBack, seen, found.values);
  return 'problem' in result ? unknown({ ...evidence, summary: result.problem }) : applied(result.value, evidence);
};

const seenIn = (answer: Answer): Seen => {
  const text = textOf(answer);
  const structured = answer.structuredContent as Json | undefined;
  const json = jsonIn(text);
  const parts = {
    text,
    ...(json === undefined ? {} : { json }),
    ...(structured === undefined ? {} : { structured }),
  };
  return { text, isError: answer.isError === true, parts };
};

const jsonIn = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

const holds = (rule: Rule, { text, isError, parts }: Seen, values: Values): boolean => {
  if (rule.error !== undefined) return isError && !PROTOCOL_ERROR.test(text) && text.includes(rule.error);
  // What an error says is no state of the world.
  if (isError) return false;
  const { at = 'text' } = rule;
  const found = valueAt(at, parts);
  if (rule.missing === true) return isThere(at, parts) && 'problem' in found;
  if ('problem' in found) return false;
  const wanted = filled(rule.equals ?? rule.contains ?? rule.lacks ?? '', values);
  if ('problem' in wanted) return false;
  if (rule.equals !== undefined) return isSame(found.value, wanted.value);
  const word = wordOf(wanted.value);
  // An empty text is in every text: it says nothing.
  return word !== '' && wordOf(found.value).includes(word) === (rule.contains !== undefined);
};

/** How servers made with the SDK answer that the arguments are wrong, or that there is no such tool. */
const PROTOCOL_ERROR = /^MCP error -\d+/;

/** A path leads nowhere also where the answer is no JSON at all, and then nothing can be missing from it. */
const isThere = (at: string, parts: Values): boolean => Object.hasOwn(parts, at.split(/[.[]/)[0] ?? '');

const wordOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isSame = (a: Json, b: Json): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
  );
};

const wordsOf = (rule: Rule): string => {
  const { verdict: _, at = 'text', ...condition } = rule;
  const [[kind, wanted] = ['', '']] = Object.entries(condition);
  const of = kind === 'error' ? 'an error with' : `${at} ${kind}`;
  return boundText(kind === 'missing' ? `${at} is missing` : `${of} ${JSON.stringify(wanted)}`, BEGINNING_BYTES / 4);
};

/** What the call itself answered is lost: the result says so, and holds what the file makes of the answer. */
const recovered = (
  { tool, result }: ReadBack,
  { parts }: Seen,
  values: Values,
): { readonly value: McpResult } | { readonly problem: string } => {
  const text = `The effect is there, as ${tool} shows. What the call itself answered is not known.`;
  const base = { content: [{ type: 'text', text }], recovered: { by: tool } };
  if (result === undefined) return { value: base };
  const made: Resolved = filled(result, { ...values, answer: parts });
  if ('problem' in made)
    return { problem: `the effect is there, but its result cannot be put together: ${made.problem}` };
  const { value } = made;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'the effect is there, but what readBack.result makes of the answer is no object' };
  }
  return { value: { ...base, structured: value as { readonly [key: string]: Json } } };
};
