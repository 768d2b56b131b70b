import { documentOf, type Measured } from './document.js';

const cell = (program: string, more: Partial<Measured['cells'][number]> = {}): Measured['cells'][number] => ({
  point: 'executor.call.after',
  process: 'worker',
  action: 'kill',
  program,
  hits: 3,
  duplicates: 0,
  lost: 0,
  repeats: 0,
  doubts: 1,
  ends: { succeeded: 3 },
  recoveryMs: null,
  ...more,
});

const measured = (more: Partial<Measured> = {}): Measured => ({
  kills: 3,
  freezes: 3,
  runs: 30,
  effects: 1_234,
  duplicates: 0,
  lost: 0,
  repeats: 2,
  untold: 0,
  uncounted: 0,
  conflicts: 0,
  cells: [cell('keyed'), cell('keyed', { action: 'freeze' }), cell('pure')],
  neverHit: [],
  recoveryMs: { worker: { kill: { n: 3, p50: 900, p99: 1_500, max: 1_500 } } },
  wrong: [],
  strangers: [],
  defects: [],
  troubles: [],
  seed: 7,
  sweeps: 3,
  fleets: 2,
  wallMs: 61_000,
  startedAt: '2026-01-01T00:00:00.000Z',
  machine: { cpus: 2, cpu: 'a processor', memoryGiB: 8, node: 'v20.19.0', kafka: '4.1.0' },
  commit: 'abc',
  ...more,
});

describe('the page about the crash matrix', () => {
  const text = documentOf(measured());

  it('says what was counted, on what, when and at which commit', () => {
    for (const line of [
      '| Duplicated effects | 0 |',
      '| Effects | 1,234 |',
      '| Duration | 61 s, 2 fleets side by side |',
      '| Machine | 2 × a processor, 8 GiB, Node.js v20.19.0, Kafka 4.1.0 |',
      '| Date | 2026-01-01T00:00:00.000Z |',
      '| Commit | abc |',
      '| worker | kill | 3 | 900 | 1,500 | 1,500 |',
    ])
      expect(text).toContain(line);
  });

  it('adds up the actions of each failpoint and policy', () =>
    expect(text).toMatch(/\| `executor\.call\.after` \| worker \| [^|]+ \| 6 · 0 · 0 \| 3 · 0 · 0 \|/));

  it('hides neither a duplicate nor a cell that was never hit', () => {
    const strike = { id: 1, point: 'executor.call.after', action: 'kill', nth: 1, after: 'kill' } as const;
    const tally = { effects: 2, duplicates: 1, repeats: 0, lost: 0, untold: 0, uncounted: 0 };
    const run = { runId: 'keyed-1', program: 'keyed', purpose: 'carried', end: 'succeeded' } as const;
    const wrong = [{ strike, run: { ...run, underWay: true, recoveryMs: 1, tally, doubts: 0, conflicts: 0 } }];
    const bad = documentOf(
      measured({
        duplicates: 1,
        cells: [cell('keyed', { duplicates: 1 }), cell('pure', { hits: 0 })],
        neverHit: ['executor.call.after kill pure'],
        wrong,
      }),
    );
    expect(bad).toContain('| **3 · 1 · 0** | **0 · 0 · 0** |');
    expect(bad).toContain('- executor.call.after kill pure');
    expect(bad).toContain('- `executor.call.after` kill: `keyed-1` succeeded, 1 duplicated, 0 lost, 0 conflicts');
  });
});
