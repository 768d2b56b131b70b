import { environments } from '../chaos/environment/environments.js';
import type { OpenEnvironment } from '../chaos/environment/scenario.js';

const SEED = Number(process.env['HOLDFAST_TEST_SEED'] ?? 20261130);

describe.each(environments)('$name, whatever happens to it while runs of every policy go on', ({ open, scenarios }) => {
  let environment: OpenEnvironment;
  beforeAll(async () => {
    environment = await open();
  });
  afterAll(() => environment?.close());

  it.each(scenarios)('%s: every run succeeds, no effect is made twice, none is lost', async (name) => {
    const result = await environment.run(name, SEED);
    process.stdout.write(`${JSON.stringify(result)}\n`);
    expect(result).toMatchObject({ duplicates: 0, lost: 0, problems: [], ends: { succeeded: result.runs } });
    expect(result.effects).toBeGreaterThan(0);
  });
});
