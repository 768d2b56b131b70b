#!/usr/bin/env node
// Checked in, so that the command can be linked and is executable before the first build.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('holdfast: is not built yet\n  Run: npm run build\n');
  process.exitCode = 2;
}
