/**
 * An MCP server on standard streams that does what it is told, also what no server should do. What it has done outside
 * stands in the file that BOOK names, a line each; how a call goes is said by the element of its `conduct` that has the
 * number of earlier calls under its `name`.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as later } from 'node:timers/promises';

const { BOOK = '', START = '', STAY = '' } = process.env;
const write = (text, written) => process.stdout.write(text, written);
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
const entries = (name) =>
  linesOf(BOOK)
    .map((line) => JSON.parse(line))
    .filter((entry) => entry.name === name);

const object = (properties, ...required) => ({ type: 'object', properties, required });
const string = { type: 'string' };
const number = { type: 'number' };
let tools = [
  {
    name: 'note',
    description: 'Writes a line into the book.',
    inputSchema: object({ name: string, text: string, key: string, conduct: { type: 'array', items: string } }, 'name'),
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: 'look',
    description: 'The lines of a name.',
    inputSchema: object({ name: string }, 'name'),
    annotations: { readOnlyHint: true },
  },
  { name: 'say', inputSchema: object({ text: string }, 'text') },
  { name: 'fail', inputSchema: object({ text: string }, 'text') },
  { name: 'big', inputSchema: object({ bytes: number }, 'bytes') },
  { name: 'deep', inputSchema: object({ levels: number }, 'levels') },
  { name: 'picture', inputSchema: object({ bytes: number }, 'bytes') },
  { name: 'noise', inputSchema: object({ lines: number }, 'lines') },
  { name: 'ask', inputSchema: object({ method: string }, 'method') },
  { name: 'change', inputSchema: object({ tool: string }, 'tool') },
];

if (BOOK !== '') appendFileSync(`${BOOK}.pids`, `${process.pid}\n`);
const asked = new Map();
const pending = new Map();
let mute = false;

const conducts = {
  ok: (id, args) => done(id, args),
  'crash-before': () => process.exit(3),
  'crash-after': (_, args) => {
    enter(args);
    process.exit(4);
  },
  'half-answer': (id, args) => {
    enter(args);
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`, () => process.exit(5));
  },
  'no-line-end': (id, args) => {
    enter(args);
    write(JSON.stringify({ jsonrpc: '2.0', id, result: text('noted') }), () => process.exit(0));
  },
  'error-after': (id, args) => {
    enter(args);
    send({ id, result: { ...text('the pen broke'), isError: true } });
  },
  'error-before': (id) => send({ id, result: { ...text('the book is shut'), isError: true } }),
  refuse: (id) => send({ id, error: { code: -32602, message: 'such a note is not taken' } }),
  hang: (id, args) => {
    pending.set(id, args);
  },
  deaf: () => {
    mute = true;
  },
};

const enter = ({ name, text: said = '', key = null }) =>
  appendFileSync(BOOK, `${JSON.stringify({ name, text: said, key })}\n`);
const done = (id, args) => {
  enter(args);
  send({ id, result: { ...text('noted'), structuredContent: { lines: entries(args.name).length } } });
};

const calls = {
  note: (id, args) => {
    const before = linesOf(`${BOOK}.calls`).filter((name) => name === args.name).length;
    appendFileSync(`${BOOK}.calls`, `${args.name}\n`);
    conducts[args.conduct?.[before] ?? 'ok'](id, args);
  },
  look: (id, { name }) => {
    const found = entries(name);
    send({ id, result: { ...text(JSON.stringify(found)), structuredContent: { count: found.length, found } } });
  },
  say: (id, args) => send({ id, result: text(args.text) }),
  fail: (id, args) => send({ id, result: { ...text(args.text), isError: true } }),
  big: (id, { bytes }) => send({ id, result: text('x'.repeat(bytes)) }),
  deep: (id, { levels }) => {
    const nested = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${nested}}}\n`);
  },
  picture: (id, { bytes }) =>
    send({
      id,
      result: { content: [{ type: 'image', mimeType: 'image/png', data: Buffer.alloc(bytes, 7).toString('base64') }] },
    }),
  noise: async (id, { lines }) => {
    for (let at = 0; at < lines; at += 1) process.stderr.write(`noise ${at}\n`);
    write('this is no message\n{"jsonrpc":"2.0","half":');
    await later(5);
    write(' 1}\n[]\n\n');
    send({ id: 987_654, result: {} });
    send({ method: 'notifications/nobody/knows', params: {} });
    send({ id, result: text('after the noise') });
  },
  ask: (id, { method }) => {
    asked.set(`ask-${id}`, id);
    send({ id: `ask-${id}`, method, params: {} });
  },
  change: (id, { tool }) => {
    tools = tools.flatMap((one) => {
      if (one.name !== tool) return [one];
      return tool === 'say' ? [] : [{ ...one, inputSchema: object({ ...one.inputSchema.properties, more: string }) }];
    });
    send({ method: 'notifications/tools/list_changed' });
    send({ id, result: text('changed') });
  },
};

const methods = {
  initialize: async (id, { protocolVersion }) => {
    if (START === 'crash') {
      process.stderr.write('the ink is out\n');
      process.exit(2);
    }
    if (START === 'mute') return;
    const info = { name: 'book', version: '7' };
    send({ id, result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: info } });
  },
  ping: (id) => send({ id, result: {} }),
  'tools/list': (id) => send({ id, result: { tools } }),
  'tools/call': (id, { name, arguments: args }) => calls[name](id, args),
  'notifications/cancelled': (_, { requestId }) => {
    appendFileSync(`${BOOK}.cancels`, `${requestId}\n`);
    if (pending.has(requestId)) enter({ name: pending.get(requestId).name, text: 'cancelled' });
  },
};

const receive = (line) => {
  if (mute) return;
  const { id, method, params = {}, error, result } = JSON.parse(line);
  if (method !== undefined) return void methods[method]?.(id, params);
  send({ id: asked.get(id), result: text(JSON.stringify(error ?? result)) });
};

// Such a server outlives the end of its input, and the first request to end.
if (STAY !== '') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1_000);
}
createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on('line', receive)
  .on('close', () => STAY === '' && process.exit(0));
