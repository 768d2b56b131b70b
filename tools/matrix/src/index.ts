import { fileURLToPath } from 'node:url';
import type { ServiceKind } from '@holdfast/chaos';
import { serviceProgram } from '@holdfast/dev';

export * from './ledger/conduct.js';
export { SETTLE_MS, TIMEOUT_MS } from './tools.js';
export { chainOf, policies, programOf, workload, type Policy } from './workload.js';

/** The built programs, the same from sources and from the build. */
export const ledgerProgram = fileURLToPath(new URL('../dist/ledger/main.js', import.meta.url));
export const toolsModule = fileURLToPath(new URL('../dist/tools.js', import.meta.url));

export const servicePrograms = (): Readonly<Record<ServiceKind, string>> => ({
  coordinator: serviceProgram('coordinator'),
  executor: serviceProgram('executor'),
  reconciler: serviceProgram('reconciler'),
});
