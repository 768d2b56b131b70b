import { deadLetter, encode, resentLetter, type Beat } from '@holdfast/contracts';
import { FleetView } from './fleet.project.js';
import { LettersView } from './letters.project.js';

const head = { version: 1, id: 'i', source: 's', subject: null, time: new Date(0).toISOString(), principal: null };
const beat = (type: Beat['type'], data: object): Uint8Array => encode({ ...head, type, data } as Beat);
const executorBeat = (at: number, sessions: readonly object[]) =>
  beat('ExecutorBeat', { executor: 'E', sessions, queues: {}, tools: ['pay@1'], at });

describe('rows of who is alive', () => {
  it('show the last beat, with sessions that have ended', () => {
    const view = new FleetView();
    view.see({ offset: 0, at: 10, value: executorBeat(10, [{ session: 'S1', state: 'open' }]) });
    const ended = { executor: 'E', session: 'S1', cause: 'killed', endedAt: 11 };
    view.see({ offset: 1, at: 11, value: beat('SessionEnded', ended) });
    view.see({ offset: 2, at: 12, value: executorBeat(12, [{ session: 'S2', state: 'open' }]) });
    view.see({
      offset: 3,
      at: 13,
      value: beat('CoordinatorBeat', { coordinator: 'C', lanes: [1], demand: {}, at: 13 }),
    });
    view.see({ offset: 4, at: 14, value: Buffer.from('nonsense') });
    const { executors, members } = view.take().rows;
    const sessions = [
      { session: 'S2', state: 'open' },
      { session: 'S1', state: 'ended' },
    ];
    expect(executors).toMatchObject([{ executor: 'E', offset: 2, lastBeatAt: 12, sessions, tools: ['pay@1'] }]);
    expect(members).toEqual([{ role: 'coordinator', member: 'C', offset: 3, lastBeatAt: 13, lanes: [1] }]);
    expect(view.take().rows).toEqual({ executors: [], members: [] });
  });
});

describe('rows of dead letters', () => {
  it('show what the headers say, also where they say nothing, and each time that one was sent again', () => {
    const view = new LettersView(3);
    const reason = { code: 'unreadable', detail: 'no JSON', by: 'C', at: 5 };
    const lost = { key: 'k', value: Buffer.from('bytes'), offset: 8 };
    const letter = deadLetter(lost, { topic: 'requests', partition: 1 }, reason);
    view.see({ offset: 0, at: 20, ...letter });
    view.see({ offset: 1, at: 21, key: null, value: null, headers: {} });
    const again = resentLetter({ letter: 0, by: 'ann', requestId: 'r', at: 22 });
    view.see({ offset: 2, at: 23, ...again });
    const { deadLetters, resends } = view.take().rows;
    expect(deadLetters).toMatchObject([
      {
        partition: 3,
        offset: 0,
        sourceTopic: 'requests',
        sourcePartition: 1,
        sourceOffset: 8,
        code: 'unreadable',
        bytes: 5,
      },
      { partition: 3, offset: 1, code: 'unknown', bytes: 0, value: null },
    ]);
    expect(resends).toEqual([{ partition: 3, offset: 2, letter: 0, by: 'ann', requestId: 'r', at: 23 }]);
  });
});
