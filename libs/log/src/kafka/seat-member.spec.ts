import { liveAsMember, type SeatConsumer } from './seat-member.js';

type Step = 'connect' | 'subscribe' | 'run';
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A member whose consumer's steps take until they are let go. */
const begin = () => {
  const told: string[] = [];
  const heard: string[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const steps = new Map<Step, () => void>();
  const step = (name: Step) => () => {
    told.push(name);
    return new Promise<void>((resolve) => steps.set(name, resolve));
  };
  const consumer = {
    events: { CRASH: 'CRASH', GROUP_JOIN: 'GROUP_JOIN', HEARTBEAT: 'HEARTBEAT' },
    on: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
    connect: step('connect'),
    subscribe: step('subscribe'),
    run: step('run'),
    disconnect: () => {
      told.push('disconnect');
      return Promise.resolve();
    },
  } as unknown as SeatConsumer;
  const emit = (name: string, payload: unknown = {}): void => listeners.get(name)?.({ payload });
  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => (end = resolve));
  const seats = {
    assigned: (held: readonly number[]) => heard.push(`seats ${held.join()}`),
    heard: () => heard.push('heard'),
  };
  const joined = (): void => void told.push('joined');
  const life = liveAsMember({ consumer, topic: 'seats', seats, ended, joined });
  let reason: string | null = null;
  void life.then((over) => (reason = over.reason));
  const letGo = async (...names: Step[]): Promise<void> => {
    for (const name of names) {
      await turns();
      steps.get(name)?.();
    }
    await turns();
  };
  const assigned = (...held: number[]): void => emit('GROUP_JOIN', { memberAssignment: { seats: held } });
  return { told, heard, emit, assigned, end, letGo, reason: () => reason };
};

describe('a member of a group', () => {
  it('holds what it is given until it ends, and leaves', async () => {
    const { told, heard, emit, assigned, end, letGo, reason } = begin();
    await letGo('connect', 'subscribe', 'run');
    assigned(1, 2);
    emit('HEARTBEAT');
    end('left');
    await turns();
    expect(told).toEqual(['connect', 'subscribe', 'run', 'joined', 'disconnect']);
    expect([heard, reason()]).toEqual([['seats 1,2', 'heard'], 'left']);
  });

  it('is not heard any more when it has crashed or ended: another has its place', async () => {
    for (const how of ['crash', 'end']) {
      const { heard, emit, assigned, end, letGo, reason } = begin();
      await letGo('connect', 'subscribe', 'run');
      if (how === 'crash') emit('CRASH', { error: new Error('broken') });
      else end('silent');
      if (how === 'end') await turns();
      assigned(3);
      emit('HEARTBEAT');
      await turns();
      expect(heard).toEqual([]);
      expect(reason()).toBe(how === 'crash' ? 'broken' : 'silent');
    }
  });

  it.each(['connect', 'subscribe'] as const)('that ends during its %s ends at once and never joins', async (during) => {
    const { told, end, letGo, reason } = begin();
    if (during === 'subscribe') await letGo('connect');
    end('left');
    await turns();
    expect(reason()).toBe('left');
    await letGo(during);
    expect(told.filter((what) => what === 'run' || what === 'joined')).toEqual([]);
    expect(told.at(-1)).toBe('disconnect');
  });

  it('that ends while it joins leaves once more when it has joined', async () => {
    const { told, heard, assigned, end, letGo, reason } = begin();
    await letGo('connect', 'subscribe');
    end('silent');
    await turns();
    expect(reason()).toBe('silent');
    assigned(5);
    await letGo('run');
    expect([told, heard]).toEqual([['connect', 'subscribe', 'run', 'disconnect', 'disconnect'], []]);
  });

  it('tells why it could not join', async () => {
    const { letGo, emit, reason } = begin();
    await letGo('connect');
    emit('CRASH', { error: new Error('no coordinator') });
    await turns();
    expect(reason()).toBe('no coordinator');
  });
});
