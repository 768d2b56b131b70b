import type { Json } from '@holdfast/programs';
import type { Suggestion } from './suggest.js';

/** A section as it stands in a file, before anything of it is replaced. */
export type RawServer = Readonly<Record<string, Json>>;

const NAME = /^[A-Za-z0-9_.-]+$/;

/**
 * The section `mcp:` of a server in YAML, which loads as it is: every tool has a policy, those that only say that they
 * read are `repeatable`, all others `unprotected` until a person has decided.
 */
export const draftOf = (name: string, raw: RawServer, suggestions: readonly Suggestion[]): string => {
  const { tools = {}, ...settings } = raw;
  const own = tools as Readonly<Record<string, Json>>;
  return [
    'mcp:',
    `  ${name}:`,
    ...Object.entries(settings).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
    ...(suggestions.length === 0 ? [] : ['    tools:']),
    ...suggestions.flatMap((suggestion) => lineOf(suggestion, own[suggestion.tool])),
    '',
  ].join('\n');
};

const lineOf = ({ tool, policy, hints, remark, approval }: Suggestion, own: Json | undefined): readonly string[] => {
  const settings = own ?? {
    ...(NAME.test(tool) ? {} : { as: tool.replaceAll(/[^A-Za-z0-9_.-]/g, '_') }),
    policy,
    ...asked(approval),
  };
  const said = hints.length === 0 ? 'the server says nothing of it' : `the server says: ${hints.join(', ')}`;
  const comment = remark === '' ? said : `${said}; ${remark}`;
  return [`      # ${oneLine(comment)}`, `      ${JSON.stringify(tool)}: ${JSON.stringify(settings)}`];
};

/** A person agrees to each call of what says that it is destructive, until somebody has decided otherwise. */
const asked = (approval: boolean): { readonly [name: string]: Json } => (approval ? { approvals: [{}] } : {});

/** What a server calls its arguments may hold anything, and must not become a part of the section. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\u2028\u2029\u0085]+/gu, ' ');
