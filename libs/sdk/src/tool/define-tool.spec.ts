import { catalogueToolSchema } from '@holdfast/contracts';
import { z } from 'zod';
import type { LooseDefinition } from './check-definition.js';
import { defineTool, isTool } from './define-tool.js';
import { InvalidTool } from './invalid-tool.js';
import { unknown } from './verdict.js';

const good = {
  name: 'file-document',
  version: '1.2',
  input: z.object({ id: z.string(), copies: z.int().default(1) }),
  output: z.object({ place: z.string() }),
  replay: { policy: 'verifiable', settleMs: 2_000 },
  timeoutMs: 5_000,
  run: () => ({ place: 'a' }),
  verify: () => unknown('not looked'),
} as const;

/** As a definition from plain JavaScript would come. */
const define = (changes: LooseDefinition) => defineTool({ ...good, ...changes } as never);

describe('defining a tool', () => {
  it.each<[LooseDefinition, string]>([
    [{ name: '' }, 'tool without a name@1.2: name must start with a letter'],
    [{ name: 'a b' }, 'tool a b@1.2: name must start with a letter'],
    [{ version: 1 }, 'tool file-document: version must hold'],
    [{ queue: 'Big_Queue' }, 'queue must start with a lower-case letter'],
    [{ input: { id: 'string' } }, 'add input: a zod object schema'],
    [{ output: undefined }, 'add output: a zod schema'],
    [{ input: z.object({ at: z.date() }) }, 'input has no JSON Schema'],
    [{ input: z.array(z.string()) }, 'input must be an object schema'],
    [{ output: z.string().transform(Number) }, 'output has no JSON Schema'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a whole number'],
    [{ timeoutMs: undefined }, 'timeoutMs must be a whole number'],
    [{ run: undefined }, 'add run'],
    [{ spawns: 'yes' }, 'spawns must be true or false'],
    [{ cost: { tokens: 1 } }, 'cost does not fit'],
    [{ cost: { tokensIn: -1 } }, 'cost does not fit'],
    [{ replay: undefined }, 'tool file-document@1.2: add replay'],
    [{ replay: 'sometimes' }, 'replay policy sometimes is not known'],
    [{ replay: null }, 'replay policy undefined is not known'],
    [{ replay: { policy: 'verifiable', settleMs: -1 } }, 'settleMs must be a whole number'],
    [{ replay: 'verifiable' }, 'add settleMs'],
    [{ verify: undefined }, 'add verify'],
    [{ verify: 'later' }, 'verify must be a function'],
  ])('refuses %j', (changes, message) => {
    expect(() => define(changes)).toThrow(InvalidTool);
    expect(() => define(changes)).toThrow(message);
  });

  it('refuses nothing at all with a sentence', () =>
    expect(() => defineTool(undefined as never)).toThrow('a tool needs a definition object'));

  it('refuses a key that would be forgotten while a call may still be made again', () => {
    const keyed = (keyTtlMs: number) => define({ verify: undefined, replay: { policy: 'keyed', keyTtlMs } });
    expect(() => keyed(60_000 + 5_000 + 5_000)).toThrow('a key must be remembered for longer than 70000 ms');
    expect(keyed(70_001).keyTtlMs).toBe(70_001);
  });

  it('names the tool that undoes its effect, where there is one', () => {
    const release = defineTool({ ...good, name: 'release', input: z.object({ key: z.string() }) });
    const filed = defineTool({ ...good, compensate: release });
    expect(filed.compensate).toBe('release@1.2');
    expect(catalogueToolSchema.parse(filed.catalogueEntry()).compensate).toBe('release@1.2');
    expect(filed.catalogueEntry().hash).not.toBe(defineTool(good).catalogueEntry().hash);
    expect(defineTool(good).catalogueEntry()).not.toHaveProperty('compensate');
    const pure = define({ name: 'look', verify: undefined, replay: 'pure' });
    expect(() => define({ compensate: 'release@1.2' })).toThrow('compensate must be a tool');
    expect(() => define({ compensate: pure })).toThrow('look@1.2 is pure and undoes nothing');
    expect(() => define({ verify: undefined, replay: 'repeatable', compensate: release })).toThrow('no effect');
  });

  it('gives tools with effects a settle time and others none', () => {
    expect(define({ verify: undefined, replay: { policy: 'unprotected' } }).settleMs).toBe(5_000);
    expect(define({ verify: undefined, replay: 'repeatable' }).settleMs).toBe(0);
    expect(define({}).settleMs).toBe(2_000);
  });

  it('makes a tool that is known as one and cannot be changed', () => {
    const tool = defineTool(good);
    expect(isTool(tool)).toBe(true);
    expect(isTool({ ...good })).toBe(false);
    expect(() => Object.assign(tool, { policy: 'pure' })).toThrow(TypeError);
  });
});

describe('the catalogue entry of a tool', () => {
  it('says in the catalogue what a call may use, and only then', () => {
    const cost = { tokensIn: 10, money: { amount: '0.25', currency: 'EUR' } };
    expect(define({ cost }).catalogueEntry().cost).toEqual({ tokensIn: 10, 'money:EUR': '0.25' });
    expect(defineTool(good).catalogueEntry()).not.toHaveProperty('cost');
  });

  it('fits the schema of the catalogue and says what callers must send', () => {
    const entry = defineTool(good).catalogueEntry();
    expect(catalogueToolSchema.parse(entry)).toStrictEqual(entry);
    expect(entry).toMatchObject({ name: 'file-document', queue: 'default', verify: true, spawns: false });
    expect(entry.inputSchema['required']).toStrictEqual(['id']);
    expect(entry.outputSchema['required']).toStrictEqual(['place']);
    expect(entry).not.toHaveProperty('keyTtlMs');
  });

  it('has a hash that is the same for the same tool and another for any change', () => {
    const hash = defineTool(good).catalogueEntry().hash;
    expect(defineTool({ ...good }).catalogueEntry().hash).toBe(hash);
    const others = [
      { timeoutMs: 5_001 },
      { spawns: true },
      { queue: 'slow' },
      { input: z.object({ id: z.string() }) },
      { output: z.object({ place: z.string(), shelf: z.string() }) },
      { replay: { policy: 'verifiable', settleMs: 2_001 } },
    ].map((changes) => define(changes).catalogueEntry().hash);
    expect(new Set([hash, ...others]).size).toBe(7);
  });
});

describe('what a tool takes and returns', () => {
  const tool = defineTool(good);

  it('fills in defaults of arguments', () =>
    expect(tool.checkArgs({ id: 'x' })).toStrictEqual({ ok: true, value: { id: 'x', copies: 1 } }));

  it('says what does not fit', () => {
    const checked = tool.checkArgs({ id: 7 });
    expect(checked).toMatchObject({ ok: false, problem: expect.stringContaining('expected string') as unknown });
  });

  it('keeps of a result what the schema knows, as JSON', () => {
    expect(tool.checkResult({ place: 'a', secret: 1 })).toStrictEqual({ ok: true, value: { place: 'a' } });
    expect(tool.checkResult(undefined).ok).toBe(false);
    expect(() => define({ output: z.undefined() })).toThrow('output has no JSON Schema');
  });
});
