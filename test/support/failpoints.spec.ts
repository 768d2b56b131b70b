import { FAILPOINTS, failpointNames, GATEWAY_FAILPOINTS } from '@holdfast/service/failpoint';
import { allFiles, withoutComments } from '../tidy/files.js';

/** Each failpoint with the folders of the sources that call it. */
const called = (): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const { path, text } of allFiles('apps')) {
    if (!path.endsWith('.ts') || path.endsWith('.spec.ts')) continue;
    for (const [, name = ''] of withoutComments(text).matchAll(/\bfailpoint\('([^']+)'\)/g))
      found.set(name, [...(found.get(name) ?? []), path]);
  }
  return found;
};

const FOLDER_OF = {
  worker: 'apps/executor/src/worker/',
  executor: 'apps/executor/src/parent/',
  coordinator: 'apps/coordinator/src/',
  reconciler: 'apps/reconciler/src/',
} as const;

const ofGateway = Object.keys(GATEWAY_FAILPOINTS);

describe('the list of failpoints', () => {
  it('names each one that is called, and no other', () => {
    expect([...called().keys()].toSorted()).toEqual([...failpointNames, ...ofGateway].toSorted());
  });

  it.each(ofGateway)('knows that %s is in the gateway', (name) => {
    for (const path of called().get(name) ?? []) expect(path).toContain('apps/gateway/src/');
  });

  it.each(failpointNames)('knows the process of %s', (name) => {
    for (const path of called().get(name) ?? []) expect(path).toContain(FOLDER_OF[FAILPOINTS[name].process]);
  });
});
