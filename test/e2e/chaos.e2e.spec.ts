import { EFFECTS_ONCE, ledgerWitness, runChaos, scheduleSweeps, type Report } from '@holdfast/chaos';
import { dataDir, startKafka, type KafkaCluster } from '@holdfast/dev';
import { chainOf, ledgerProgram, policies, programOf, servicePrograms, toolsModule, workload } from '@holdfast/matrix';
import { Ledger } from './support/ledger.js';

const points = ['executor.call.after', 'coordinator.publish.before', 'reconciler.verdict.before'] as const;

describe('killing services while runs are under way, and counting', () => {
  const folder = dataDir('chaos');
  const ledger = new Ledger(folder, ledgerProgram);
  const stopping = new AbortController();
  let kafka: KafkaCluster | undefined;
  let playing: Promise<Report> | undefined;
  let report: Report;
  beforeAll(async () => {
    playing = play();
    report = await playing;
  });
  // What comes too late for the tests is ended as well.
  afterAll(async () => {
    stopping.abort();
    await playing?.catch(() => null);
    await ledger.stop(1_000);
    await kafka?.stop();
  });

  const play = async (): Promise<Report> => {
    kafka = await startKafka();
    await ledger.start();
    // Says that its ledger drops repeats of a key, which it does not: an answer that is lost shows it.
    const swindler = programOf('swindler', chainOf('swindle', [['ok'], ['apply-drop', 'ok'], ['slow:350'], ['ok']]));
    return runChaos({
      brokers: kafka.brokers,
      folder,
      programs: servicePrograms(),
      tools: [toolsModule],
      queues: { default: 4 },
      env: { LEDGER_URL: ledger.url },
      namespaceOf: (fleet) => `chaos-${fleet}`,
      strikes: scheduleSweeps(1, { seed: 1, points, actions: ['kill'] }),
      workload: [...workload, swindler],
      witness: ledgerWitness(`${ledger.url}/entries`),
      strictness: { ...EFFECTS_ONCE, kept: new Set(policies) },
      settleMs: 600,
      fleets: 1,
      msMax: 100_000,
      say: () => undefined,
      signal: stopping.signal,
    });
  };

  /** Entries beyond the first under each key, of programs of one sort. The rehearsal is not counted. */
  const repeatsOf = (isMeant: (program: string) => boolean): number => {
    const entries = ledger
      .entries()
      .filter(({ name }) => isMeant(name.split('-')[0] ?? '') && !/-rehearsal-/.test(name));
    return entries.length - new Set(entries.map(({ key }) => key)).size;
  };

  it('hits each of them with a run of each policy under way', () => {
    expect(report).toMatchObject({ kills: points.length, freezes: 0, neverHit: [], conflicts: 0 });
    expect(report).toMatchObject({ strangers: [], defects: [], troubles: [] });
    expect(report.cells).toHaveLength(points.length * (policies.length + 1));
  });

  it('finds nothing that an honest tool did repeated or lost', () => {
    const honest = report.cells.filter((cell) => cell.program !== 'swindler');
    for (const cell of honest) expect(cell).toMatchObject({ duplicates: 0, lost: 0 });
    expect(report.lost).toBe(0);
  });

  it('finds every repeat of a tool that does not keep its promise', () => {
    const swindled = report.wrong.map(({ run }) => run.program);
    expect(new Set(swindled)).toEqual(new Set(['swindler']));
    expect(report.duplicates).toBeGreaterThanOrEqual(points.length);
    const mayRepeat = (program: string): boolean => program === 'pure' || program === 'repeatable';
    expect(report.duplicates).toBe(repeatsOf((program) => !mayRepeat(program)));
    expect(report.repeats).toBe(repeatsOf(mayRepeat));
  });

  it('says how long it took until all went on', () => {
    for (const kind of ['worker', 'coordinator', 'reconciler'] as const)
      expect(report.recoveryMs[kind]?.kill?.max).toBeGreaterThan(0);
  });
});
