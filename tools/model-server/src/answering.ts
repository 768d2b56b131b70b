import type { ServerResponse } from 'node:http';
import { completed, type Counted } from './reply.js';
import { isFault, type Asked, type ScriptedFault, type ScriptedReply } from './script.js';
import type { Wire } from './wire/wire.js';

/** One request that was read, and where its answer goes. */
export type Exchange = {
  readonly wire: Wire;
  readonly asked: Asked;
  readonly body: unknown;
  readonly hash: string;
  readonly response: ServerResponse;
};

/** What was said at most; the tokens count as billed where it was handed over whole. */
export type Answered = { readonly faulted: boolean; readonly counted: Counted | null };

export const answer = async (exchange: Exchange, said: ScriptedReply | ScriptedFault): Promise<Answered> => {
  if (said.delayMs !== undefined) await after(said.delayMs);
  if (isFault(said)) return misbehave(exchange, said);
  const { wire, asked, body, response, hash } = exchange;
  const counted = completed(said, asked, hash);
  if (!asked.stream) sendJson(response, 200, wire.reply(counted));
  else if (said.eventDelayMs === undefined) sendStream(response, wire.events(counted, body), 'end');
  else void sendSlowly(response, wire.events(counted, body), said.eventDelayMs);
  return { faulted: false, counted };
};

export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

const misbehave = (exchange: Exchange, said: ScriptedFault): Answered => {
  const { wire, asked, body, response, hash } = exchange;
  switch (said.fault) {
    case 'status': {
      const { status, headers, message = `the script says ${status}`, code } = said;
      sendJson(response, status, wire.refusal({ status, message, code }), headers);
      break;
    }
    case 'hang':
      break;
    case 'reset':
      reset(response, said.when);
      break;
    case 'garbage':
      response.writeHead(200, { 'content-type': said.contentType ?? 'application/json' });
      response.end(said.body);
      break;
    case 'cut': {
      const events = wire.events(completed(said.reply, asked, hash), body).slice(0, said.events);
      sendStream(response, events, said.quiet === true ? 'end' : 'cut');
      break;
    }
    case 'error-event': {
      const events = wire.events(completed(said.reply, asked, hash), body).slice(0, said.events);
      sendStream(response, [...events, wire.errorEvent(said.code)], 'end');
      break;
    }
  }
  return { faulted: true, counted: null };
};

const sendStream = (response: ServerResponse, events: readonly string[], then: 'end' | 'cut'): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) response.write(event);
  if (then === 'end') response.end();
  // Only when all before it has left: else the head could be lost with the rest.
  else response.write(': \n\n', () => response.destroy());
};

const sendSlowly = async (response: ServerResponse, events: readonly string[], everyMs: number): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const event of events) {
    await after(everyMs);
    if (response.destroyed) return;
    response.write(event);
  }
  response.end();
};

const reset = (response: ServerResponse, when: 'before-head' | 'after-head'): void => {
  const cut = (): void => void response.socket?.resetAndDestroy();
  if (when === 'before-head') return cut();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10000' });
  response.write('{"id":', cut);
};

const after = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
