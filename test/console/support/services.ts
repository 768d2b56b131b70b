import { readdirSync, readFileSync } from 'node:fs';

/** The processes of a service in a namespace, by what they were started with. */
export const pidsOf = (service: string, namespace: string): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => wordsOf(pid, 'cmdline').some((word) => word.endsWith(`/apps/${service}/dist/main.js`)))
    .filter((pid) => wordsOf(pid, 'cmdline')[0]?.endsWith('node') === true)
    .filter((pid) => wordsOf(pid, 'environ').includes(`HOLDFAST_NAMESPACE=${namespace}`));

const wordsOf = (pid: number, file: 'cmdline' | 'environ'): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
  } catch {
    return []; // it has ended, or is not ours
  }
};
