import { setImmediate as turn } from 'node:timers/promises';
import { RequestRefused } from '@holdfast/sdk';
import { Asks, type Ask } from './asks.js';

const asking = (more: Partial<Ask> = {}): { readonly asks: Asks; readonly ask: Ask; readonly times: () => number } => {
  let times = 0;
  const request = async (): Promise<void> => {
    times += 1;
    await more.request?.();
  };
  const ask: Ask = { run: { ended: null }, refused: () => true, ...more, request };
  return { asks: new Asks(), ask, times: () => times };
};
const unheard = (): Promise<never> => Promise.reject(new Error('nobody answers'));

describe('requests while services are struck', () => {
  it('are made until somebody has answered', async () => {
    const { asks, ask, times } = asking({ request: () => (times() < 2 ? unheard() : Promise.resolve()) });
    asks.begin(ask);
    await asks.settled();
    expect(times()).toBe(2);
  });

  it('are not made again where the refusal is the last word', async () => {
    const refusal = new RequestRefused({ requestId: 'q', runId: 'r', outcome: 'refused', lane: 0 } as never);
    const { asks, ask, times } = asking({ request: () => Promise.reject(refusal) });
    asks.begin(ask);
    await asks.settled();
    expect(times()).toBe(1);
  });

  it('end when nobody waits any more, also in the pause between two, and none is begun', async () => {
    const untilStopped = (signal: AbortSignal): Promise<unknown> =>
      new Promise((resolve) => signal.addEventListener('abort', resolve));
    const { ask, times } = asking({ request: unheard });
    const asks = new Asks(untilStopped);
    asks.begin(ask);
    await turn();
    expect(times()).toBe(1);
    asks.stop();
    await asks.settled();
    asks.begin(ask);
    await asks.settled();
    expect(times()).toBe(1);
  });

  it('are awaited, and so is what is done beside them, whose failure is told', async () => {
    const { asks } = asking();
    const order: string[] = [];
    let finish: () => void = () => undefined;
    asks.beside(new Promise<void>((resolve) => (finish = resolve)).then(() => order.push('done')));
    const settled = asks.settled().then(() => order.push('settled'));
    finish();
    await settled;
    expect(order).toEqual(['done', 'settled']);
    asks.beside(Promise.reject(new Error('no such lane')));
    await expect(asks.settled()).rejects.toThrow('no such lane');
  });
});
