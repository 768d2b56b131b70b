import { Ending } from '../ending.js';
import type { BrokerClient } from './client.js';
import { Poller, type Followed } from './poller.js';

const position: Followed = { topic: 't', partition: 0, sparse: false, next: 0, restUntil: 0, busyUntil: 0 };
const hooks = { answered: () => undefined, trouble: () => undefined, split: async () => undefined };

describe('two pollers that share partitions', () => {
  it('hand a partition on when it is no longer of the one that polls it while the other sleeps', async () => {
    const ending = new Ending();
    let owner = 'first';
    const polledBy: string[] = [];
    const handedOn = new Promise<void>((resolve) => {
      const started = (): void => {
        if (!first.covers(position) && !second.covers(position)) for (const one of [first, second]) one.rouse();
      };
      const poller = (name: string): Poller => {
        const leader = async (): Promise<null> => {
          polledBy.push(name);
          // Time alone makes it the other's, while it is being polled here.
          owner = 'second';
          if (name === 'second') resolve();
          return null;
        };
        const client = { route: () => 'node', leader } as unknown as BrokerClient;
        const rules = { pollMs: 1, timeoutMs: 100, ending, hooks, started };
        return new Poller(client, rules, () => (owner === name ? [position] : []));
      };
      const first = poller('first');
      const second = poller('second');
      first.wake();
    });
    await handedOn;
    ending.end();
    expect(polledBy.slice(0, 2)).toEqual(['first', 'second']);
  });
});
