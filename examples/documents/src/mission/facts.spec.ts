import { runEvent } from '@holdfast/events';
import { Facts } from './facts.js';
import type { Fact } from './tally.js';

const fact = (seq: number): Fact => ({ event: runEvent('RunWaiting', { waitingFor: 'x', since: 0 }), seq, at: 0 });

describe('handing facts over', () => {
  it('happens in the call that brings them', () => {
    const seen: number[] = [];
    const facts = new Facts(({ seq }) => (seen.push(seq), null));
    facts.add(fact(1));
    expect(seen).toStrictEqual([1]);
  });

  it('pauses where it is asked to, and goes on in order', async () => {
    const seen: number[] = [];
    let release!: () => void;
    const pause = new Promise<void>((resolve) => (release = resolve));
    const facts = new Facts(({ seq }) => (seen.push(seq), seq === 1 ? pause : null));
    facts.add(fact(1));
    facts.add(fact(2));
    facts.add(fact(3));
    expect(seen).toStrictEqual([1]);
    release();
    await pause;
    await Promise.resolve();
    expect(seen).toStrictEqual([1, 2, 3]);
  });
});
