import { environments } from '../chaos/environment/environments.js';
import type { OpenEnvironment } from '../chaos/environment/scenario.js';

const SEED = Number(process.env['HOLDFAST_TEST_SEED'] ?? 20261130);

/** One of each kind; `HOLDFAST_TEST_ENVIRONMENT=all` plays the others too, which takes minutes more. */
const USUAL: ReadonlySet<string> = new Set([
  'broker killed and restarted',
  'answers to appends lost',
  'disk of the broker full',
  'clocks jump beyond the allowed skew',
  'leader of history killed',
  'two of three down',
]);
const isPlayed = (name: string): boolean => process.env['HOLDFAST_TEST_ENVIRONMENT'] === 'all' || USUAL.has(name);

describe.each(environments)('$name, whatever happens to it while runs of every policy go on', ({ open, scenarios }) => {
  let environment: OpenEnvironment;
  beforeAll(async () => {
    environment = await open();
  });
  afterAll(() => environment?.close());

  it.each(scenarios.filter(isPlayed))('%s: every run succeeds, no effect is made twice, none is lost', async (name) => {
    const result = await environment.run(name, SEED);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ duplicates: 0, lost: 0, problems: [], ends: { succeeded: result.runs } });
    expect(result.effects).toBeGreaterThan(0);
  });
});
