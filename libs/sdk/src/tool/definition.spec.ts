import { z } from 'zod';
import { defineTool } from './define-tool.js';
import { absent } from './verdict.js';

const common = {
  name: 'pay',
  version: '1',
  input: z.object({ amount: z.number() }),
  output: z.object({ receipt: z.string() }),
  timeoutMs: 1_000,
  run: () => ({ receipt: 'r-1' }),
};
const verify = () => absent('no such payment');

describe('the type of a definition', () => {
  it('knows the arguments and the result', () => {
    const tool = defineTool({ ...common, replay: 'pure', run: ({ amount }) => ({ receipt: amount.toFixed() }) });
    expect(tool.ref).toBe('pay@1');
    // @ts-expect-error the result has no receipt
    const wrong = () => defineTool({ ...common, replay: 'pure', run: () => ({}) });
    expect(wrong).not.toThrow();
  });

  it('does not let a tool be made without a replay policy', () => {
    // @ts-expect-error replay is missing
    expect(() => defineTool(common)).toThrow('tool pay@1: add replay');
  });

  it('does not let a tool be verifiable without verify and settleMs', () => {
    // @ts-expect-error verify is missing
    expect(() => defineTool({ ...common, replay: { policy: 'verifiable', settleMs: 5 } })).toThrow('add verify');
    // @ts-expect-error settleMs is missing
    expect(() => defineTool({ ...common, verify, replay: { policy: 'verifiable' } })).toThrow('add settleMs');
    expect(defineTool({ ...common, verify, replay: { policy: 'verifiable', settleMs: 5 } }).policy).toBe('verifiable');
  });

  it('does not let a tool be keyed without saying for how long', () => {
    // @ts-expect-error keyTtlMs is missing
    expect(() => defineTool({ ...common, replay: { policy: 'keyed' } })).toThrow('add keyTtlMs');
  });

  it('does not let a tool have a verify that nobody would call', () => {
    // @ts-expect-error a pure tool is never in doubt
    expect(() => defineTool({ ...common, verify, replay: 'pure' })).toThrow('has verify but is pure');
    // @ts-expect-error a tool that can be asked is verifiable
    expect(() => defineTool({ ...common, verify, replay: { policy: 'unprotected' } })).toThrow('is unprotected');
  });

  it('does not let the input be anything but an object', () => {
    // @ts-expect-error a string is no object
    expect(() => defineTool({ ...common, input: z.string(), run: () => ({ receipt: '' }), replay: 'pure' })).toThrow(
      'input must be an object schema',
    );
  });
});
