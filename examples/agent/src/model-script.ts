import type { Asked, Script, ScriptedCall, ScriptedReply } from '@holdfast/model-server';

/**
 * What the model says when no real one is asked. Like a real one it knows nothing but the transcript, so the same request
 * has the same answer: it lists, reads two documents at a time, files the findings of two documents at a time, and answers.
 */
export const script: Script = (asked) => next(asked);

const AT_ONCE = 2;
const NOTE = /CLAUSE TO NOTE( \(HIGH\))?: (.+)/g;

const next = (asked: Asked): ScriptedReply => {
  const results = resultsOf(asked);
  const folder = /in (\S+)$/.exec(asked.messages[0]?.text ?? '')?.[1] ?? '.';
  const listing = results.find(({ name }) => name === 'list_directory');
  if (listing === undefined) return { calls: [{ name: 'list_directory', arguments: { path: folder } }] };
  const files = namesIn(listing.text);
  const read = results.filter(({ name }) => name === 'read_text_file');
  if (read.length < files.length) {
    const wanted = files.slice(read.length, read.length + AT_ONCE);
    return { calls: wanted.map((file) => ({ name: 'read_text_file', arguments: { path: `${folder}/${file}` } })) };
  }
  const findings = read.flatMap(({ text }, at) => findingsIn(files[at] ?? '', text));
  const filed = results.filter(({ name }) => name === 'file_finding').length;
  if (filed < findings.length) return { text: 'Filing.', calls: findings.slice(filed, filed + AT_ONCE) };
  return { text: JSON.stringify({ documents: read.length, findings: findings.length }) };
};

type Result = { readonly name: string; readonly text: string };

/** Results of tools in order; those of MCP servers hold their text in parts. */
const resultsOf = ({ messages }: Asked): readonly Result[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [{ name: message.name, text: plain(message.text) }] : []));

const plain = (text: string): string => {
  try {
    const parsed = JSON.parse(text) as { readonly content?: readonly { readonly text?: string }[] };
    return parsed.content?.map((part) => part.text ?? '').join('\n') ?? text;
  } catch {
    return text;
  }
};

const namesIn = (listing: string): readonly string[] =>
  [...listing.matchAll(/^\[FILE\] (.+)$/gm)].map(([, name = '']) => name).toSorted();

const findingsIn = (document: string, text: string): readonly ScriptedCall[] =>
  [...text.matchAll(NOTE)].map(([, high, finding = '']) => ({
    name: 'file_finding',
    arguments: { document, finding, severity: high === undefined ? 'low' : 'high' },
  }));
