/**
 * Runs all checks and tests, one after the other, never stopping at the first that fails, and ends with the line
 * `N passed, N failed`. With arguments only the named ones are run: `node tools/dev/test/main.mjs unit e2e`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, stateDir } from '../bootstrap/machine.mjs';
import { endWithSignals, interrupted } from '../bootstrap/run.mjs';
import { known, selected } from './checks.mjs';

const runAll = async (names) => {
  const chosen = selected(names);
  mkdirSync(join(stateDir, 'test'), { recursive: true });
  const results = [];
  for (const check of chosen) {
    if (interrupted()) break;
    console.log(`\n── ${check.name}: ${check.about}`);
    const began = performance.now();
    results.push({ name: check.name, ...(await check.run()), seconds: (performance.now() - began) / 1_000 });
  }
  return results;
};

const report = (results) => {
  console.log('');
  for (const { name, passed, failed, seconds, why } of results) {
    const verdict = failed === 0 ? 'ok    ' : 'FAILED';
    console.log(
      `${verdict} ${name.padEnd(12)} ${passed} passed, ${failed} failed in ${seconds.toFixed(1)} s${why ? `: ${why}` : ''}`,
    );
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  // Other programs read this line; it must stand alone and last.
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 && sum('passed') > 0;
};

endWithSignals();
try {
  const results = await runAll(process.argv.slice(2));
  process.exitCode = report(results) && !interrupted() ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`${error.message} Known are: ${known.map(({ name }) => name).join(', ')}, verify.`);
  process.exitCode = error.exitCode;
}
