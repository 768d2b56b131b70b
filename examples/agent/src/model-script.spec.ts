import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import type { ModelMessage } from '@holdfast/programs';
import type { Asked, ScriptedReply } from '@holdfast/model-server';
import { script } from './model-script.js';

const folder = join(import.meta.dirname, '..', 'documents');
const files = readdirSync(folder);

/** The result of a call as the tools of the example give it. */
const resultOf = (name: string, args: { readonly path?: string }): string => {
  const text = (content: string): string => JSON.stringify({ content: [{ type: 'text', text: content }] });
  if (name === 'list_directory')
    return text(
      files
        .toReversed()
        .map((file) => `[FILE] ${file}`)
        .join('\n'),
    );
  if (name === 'read_text_file') return text(readFileSync(args.path ?? '', 'utf8'));
  return '{"number":1}';
};

/** Plays the conversation to its end. */
const play = async (): Promise<readonly ScriptedReply[]> => {
  const replies: ScriptedReply[] = [];
  const messages: ModelMessage[] = [{ role: 'user', text: `Order o-1: review the contracts in ${folder}` }];
  while (replies.length < 20) {
    const reply = (await script({ messages } as unknown as Asked, replies.length + 1)) as ScriptedReply;
    replies.push(reply);
    const calls = (reply.calls ?? []).map(({ name, arguments: args }, at) => ({
      id: `c${replies.length}-${at}`,
      name,
      arguments: JSON.stringify(args),
    }));
    if (calls.length === 0) return replies;
    messages.push({ role: 'assistant', text: reply.text ?? '', calls });
    for (const { id, name, arguments: args } of calls) {
      messages.push({ role: 'tool', callId: id, name, text: resultOf(name, JSON.parse(args) as { path?: string }) });
    }
  }
  throw new Error('the conversation goes on and on');
};

describe('the scripted model of the example', () => {
  it('reads every document, files every clause to note, and says how many', async () => {
    const replies = await play();
    const calls = replies.flatMap(({ calls: made = [] }) => made);
    expect(calls.filter(({ name }) => name === 'read_text_file')).toHaveLength(files.length);
    const filed = calls.filter(({ name }) => name === 'file_finding').map(({ arguments: args }) => args);
    const noted = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/CLAUSE TO NOTE/g) ?? []);
    expect(filed).toHaveLength(noted.length);
    expect(filed.filter((args) => JSON.stringify(args).includes('"high"'))).toHaveLength(1);
    expect(JSON.parse(replies.at(-1)?.text ?? '')).toEqual({ documents: files.length, findings: noted.length });
  });

  it('says the same again to the same transcript', async () => expect(await play()).toEqual(await play()));
});
