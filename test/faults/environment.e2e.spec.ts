import { environments } from '../chaos/environment/environments.js';
import type { OpenEnvironment } from '../chaos/environment/scenario.js';

/** A volume 10 s, brokers 60 s and the formatting before it, a ledger and the services 90 s each. */
const OPEN_MS = 300_000;
const CLOSE_MS = 60_000;
const SEED = Number(process.env['HOLDFAST_TEST_SEED'] ?? 20261130);

describe.each(environments)('$name, whatever happens to it while runs of every policy go on', ({ open, scenarios }) => {
  let opening: Promise<OpenEnvironment>;
  beforeAll(async () => {
    opening = open();
    await opening;
  }, OPEN_MS);
  // What comes too late for the tests is closed as well.
  afterAll(async () => (await opening?.catch(() => null))?.close(), OPEN_MS + CLOSE_MS);

  it.each([...scenarios])('%s: every run succeeds, no effect is made twice, none is lost', async (name) => {
    const environment = await opening;
    const result = await environment.run(name, SEED);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ duplicates: 0, lost: 0, problems: [], ends: { succeeded: result.runs } });
    expect(result.effects).toBeGreaterThan(0);
  });
});
