import { absent, applied, defineTool, ToolFailure, unknown, type Tool, type ToolContext } from '@holdfast/sdk';
import { z } from 'zod';
import { whileNotStopped } from '../while-not-stopped.js';
import { probeContract } from './probe-contract.js';
import type { Begun, Fault, ProbeWorld } from './probe-world.js';

const SECRET = 'a-password-of-the-register';

/** What a tool may get wrong. */
type Flaw =
  | 'absent when away'
  | 'absent when garbled'
  | 'blind'
  | 'forgetful'
  | 'makes it again'
  | 'no guard'
  | 'one effect for all keys'
  | 'other result'
  | 'plain texts only'
  | 'says none'
  | 'talkative';

/** A register in memory, and a tool that enters a text in it. */
class Register {
  private readonly entries = new Map<string, { readonly text: string; readonly count: number }>();
  private faulty: Fault | null = null;
  private reached = (): void => undefined;
  private released: Promise<void> = Promise.resolve();

  async enter(key: string, text: string): Promise<void> {
    this.answering();
    if (this.faulty === 'held') {
      this.reached();
      await this.released;
    }
    if (this.faulty === 'cut-before') throw new Error('connection lost');
    this.entries.set(key, { text, count: this.count(key) + 1 });
    if (this.faulty === 'cut-after') throw new Error('connection lost');
  }

  find(key: string): string | null {
    this.answering();
    return this.entries.get(key)?.text ?? null;
  }

  count(key: string): number {
    return this.entries.get(key)?.count ?? 0;
  }

  async fault(fault: Fault): Promise<Begun> {
    let release = (): void => undefined;
    this.faulty = fault;
    this.released = new Promise((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => (this.reached = resolve));
    const end = async (): Promise<void> => {
      this.faulty = null;
      release();
      // Whoever was held goes on first.
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { reached, end };
  }

  private answering(): void {
    if (this.faulty === 'away') throw new ToolFailure('nobody is there', { retry: 'later', effect: 'none' });
    if (this.faulty === 'garbled') throw new Error('what is this?');
  }
}

const toolOf = (register: Register, flaw: Flaw | null): Tool => {
  const keyOf = (key: string): string => (flaw === 'one effect for all keys' ? key.replace(/\d+\]$/, '') : key);
  const enter = async ({ text }: { text: string }, context: ToolContext): Promise<{ text: string }> => {
    const key = keyOf(context.key);
    if (flaw !== 'makes it again' && flaw !== 'blind' && register.find(key) !== null) return { text };
    if (flaw !== 'no guard') context.guard();
    const entering = register.enter(key, flaw === 'plain texts only' ? text.replaceAll(/[^\x20-\x7e]/g, '?') : text);
    await whileNotStopped(context.signal, entering);
    return { text: flaw === 'other result' ? `${text}!` : text };
  };
  return defineTool({
    name: 'enter',
    version: '1',
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    replay: { policy: 'verifiable', settleMs: 0 },
    timeoutMs: 10_000,
    run: async (args, context) => {
      try {
        return await enter(args, context);
      } catch (error) {
        if (flaw === 'says none') throw new ToolFailure('it failed', { retry: 'later', effect: 'none' });
        throw error;
      }
    },
    verify: (_, { key }) => {
      if (flaw === 'blind') return unknown('somewhere');
      try {
        const text = flaw === 'forgetful' ? null : register.find(keyOf(key));
        return text === null
          ? absent('there is none')
          : applied({ text }, flaw === 'talkative' ? SECRET : 'there is one');
      } catch (error) {
        const isAway = error instanceof ToolFailure;
        return flaw === (isAway ? 'absent when away' : 'absent when garbled')
          ? absent('nothing seen')
          : unknown('not seen');
      }
    },
  }) as Tool;
};

/** The cases that such a tool fails, of those with these words in their name. */
const failing = async (flaw: Flaw | null, words = ''): Promise<readonly string[]> => {
  const register = new Register();
  const world: ProbeWorld = {
    tool: toolOf(register, flaw),
    args: (text) => ({ text }),
    effects: async (key) => register.count(key),
    fault: (fault) => register.fault(fault),
    secrets: [SECRET],
  };
  const failed: string[] = [];
  const cases = probeContract(() => world).filter(({ name }) => name.includes(words));
  for (const { name, run } of cases) await run().catch(() => failed.push(name));
  return failed;
};

describe('the suite for tools that can be asked', () => {
  it('is passed by a tool that keeps its word', async () => expect(await failing(null)).toEqual([]));

  it.each<[Flaw, string]>([
    ['absent when away', 'while its counterpart is away'],
    ['absent when garbled', 'answers what nobody understands'],
    ['blind', 'is found as applied after a plain call'],
    ['forgetful', 'when only the answer was lost'],
    ['makes it again', 'when a step is called again with its key'],
    ['no guard', 'does nothing when the guard refuses'],
    ['one effect for all keys', 'for another key with the same arguments'],
    ['other result', 'is found as applied after a plain call'],
    ['plain texts only', 'takes texts of any kind'],
    ['says none', 'when only the answer was lost'],
    ['talkative', 'is found as applied after a plain call'],
  ])('is not passed by one that is %s: %s', async (flaw, name) => {
    expect(await failing(flaw, name)).toHaveLength(1);
  });

  it('ends its faults when a case fails, so that others are judged for themselves', async () => {
    expect(await failing('says none')).not.toContain('makes one effect for each of two keys at once');
  });
});
