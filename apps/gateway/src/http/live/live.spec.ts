import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { systemTimer } from '@holdfast/sdk';
import type { Response } from 'express';
import { Bell } from './bell.js';
import { idOf, numberOf, positionsOf } from './position.js';
import type { LiveReader, Told } from './reader.js';
import { stream, type StreamTimes } from './stream.js';

const told = (seq: number, words = ''): Told => ({
  id: String(seq),
  event: { runId: 'doc-1', lane: 0, seq, at: 0, type: 'RunWaiting', words },
});

describe('the bell', () => {
  const never = new AbortController().signal;

  it('is heard for a lane, also where it rang before anybody waited', async () => {
    const bell = new Bell();
    const since = bell.count;
    bell.ring(2);
    await bell.wait(2, since, never);
    await bell.wait(null, since, never);
    expect(bell.rungSince(since)).toEqual([2]);
    expect(bell.rungSince(bell.count)).toEqual([]);
  });

  it('does not wake who waits for another lane', async () => {
    const bell = new Bell();
    let woken = false;
    const waiting = bell.wait(1, bell.count, never).then(() => (woken = true));
    bell.ring(2);
    await Promise.resolve();
    expect(woken).toBe(false);
    bell.ring(1);
    await waiting;
  });

  it('lets go of who wants to wait no longer', async () => {
    const stop = new AbortController();
    const waiting = new Bell().wait(null, 0, stop.signal);
    stop.abort();
    await waiting;
    await new Bell().wait(null, 0, stop.signal);
  });
});

describe('the ids of events', () => {
  it('say where all lanes are', () => {
    expect(positionsOf(idOf([3, -1, 12]), 3)).toEqual([3, -1, 12]);
    expect(numberOf('17')).toBe(17);
  });

  it.each(['', '1.2', '1.2.x', '1.2.3.4', '1.2.1e3'])('%j is none of three lanes', (id) =>
    expect(() => positionsOf(id, 3)).toThrow('is not the id of an event'),
  );
});

describe('a stream', () => {
  let server: Server;
  afterEach(() => void server.close());
  const bell = new Bell();
  const patient = { beatMs: 10_000, slowMs: 10_000 };

  /** A server that streams what the reader reads, and when its first stream is over. */
  const serve = async (reader: LiveReader, times: StreamTimes, stop = new AbortController()) => {
    let over: Promise<void> = Promise.resolve();
    const begun = new Promise<void>((begin) => {
      server = createServer((_, response) => {
        const express = response as unknown as Response;
        express.status = () => express;
        express.set = (() => express) as never;
        over = stream({ bell, timer: systemTimer, times }, express, reader, stop.signal);
        begin();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return { port: (server.address() as AddressInfo).port, over: begun.then(() => over) };
  };
  const ask = (port: number): Socket => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return socket;
  };
  const until = (socket: Socket, text: string): Promise<string> =>
    new Promise((resolve) => {
      let all = '';
      socket.on('data', (data) => {
        all += data.toString();
        if (all.includes(text)) resolve(all);
      });
    });

  it('tells what is there, then what comes, then that it ends', async () => {
    const news: Told[][] = [[told(1), told(2)]];
    const stop = new AbortController();
    const { port, over } = await serve({ lane: 0, from: '0', read: async () => news.shift() ?? [] }, patient, stop);
    const socket = ask(port);
    await until(socket, 'id: 2');
    news.push([told(3)]);
    bell.ring(0);
    await until(socket, 'id: 3');
    stop.abort();
    expect(await until(socket, 'event: end')).toContain('{"reason":"stopping"}');
    await over;
    socket.destroy();
  });

  it('says where it begins before there is anything to tell', async () => {
    const { port } = await serve({ lane: null, from: '3.-1', read: async () => [] }, patient);
    const socket = ask(port);
    await until(socket, 'retry: 1000\n\nid: 3.-1\n\n');
    socket.destroy();
  });

  it('gives a sign of life where there is nothing to tell', async () => {
    const { port } = await serve({ lane: 0, from: '0', read: async () => [] }, { ...patient, beatMs: 10 });
    const socket = ask(port);
    await until(socket, ': nothing for 10 ms');
    socket.destroy();
  });

  it('is dropped where nobody takes anything, and reads no more than it could write', async () => {
    let read = 0;
    const large = 'x'.repeat(100_000);
    const piece = () => Array.from({ length: 10 }, () => told((read += 1), large));
    const { port, over } = await serve({ lane: 0, from: '0', read: async () => piece() }, { ...patient, slowMs: 50 });
    const socket = ask(port).pause();
    await over;
    expect(read).toBeLessThan(1_000);
    socket.destroy();
  });

  it('says so where it cannot be read any more', async () => {
    const broken = { lane: 0, from: '0', read: () => Promise.reject(new Error('away')) };
    const { port, over } = await serve(broken, patient);
    const failing = expect(over).rejects.toThrow('away');
    const socket = ask(port);
    expect(await until(socket, 'event: end')).toContain('{"reason":"failed"}');
    await failing;
    socket.destroy();
  });
});
