/*
 * Counts a ledger again, from the file alone:  node dist/recount.js LEDGER [REPORT]
 * With a report beside it: exit 0 only if both agree and nothing was repeated or lost.
 */
import { readFileSync } from 'node:fs';
import { compare, recountLines } from './recount-lines.js';

const [ledgerFile, reportFile] = process.argv.slice(2);
if (ledgerFile === undefined) {
  console.error('usage: node dist/recount.js LEDGER [REPORT]');
  process.exit(2);
}

const { repeated, ...counted } = recountLines(readFileSync(ledgerFile, 'utf8'));
for (const [document, times] of repeated) console.error(`filed ${times} times: ${document}`);

if (reportFile === undefined) {
  console.log(JSON.stringify(counted));
} else {
  const verdict = compare(counted, JSON.parse(readFileSync(reportFile, 'utf8')) as Record<string, unknown>);
  console.log(JSON.stringify({ ...counted, ...verdict }));
  process.exitCode = verdict.agrees && counted.duplicates === 0 && verdict.lost === 0 ? 0 : 1;
}
