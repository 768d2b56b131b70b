import type { DataSource } from 'typeorm';
import { topicNames } from '@holdfast/contracts';
import { laneOf } from '@holdfast/events';
import { openGateway, type TestGateway } from '../http.fixture.js';
import type { HttpParts } from '../parts.js';

let gateway: TestGateway | null = null;
afterEach(async () => {
  await gateway?.close();
  gateway = null;
});

const { history } = topicNames('holdfast');
const END = 9_000;
const LANE = laneOf('doc-1', 4);

/** A gateway whose rows of each lane follow from the records before `nextOffset`. */
const openAt = async (nextOffset: number, run: object | null, broken = false): Promise<string> => {
  const query: unknown = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === 'then') return undefined;
        if (name === 'getOne') return async () => run;
        if (name !== 'getMany') return () => query;
        return async () => [0, 1, 2, 3].map((partition) => ({ source: history, partition, nextOffset }));
      },
    },
  );
  const source = { getRepository: () => ({ createQueryBuilder: () => query }) } as unknown as DataSource;
  const parts: Partial<HttpParts> = {
    database: { connected: async () => source },
    log: { bounds: async () => ({ start: 0, end: END }) } as unknown as HttpParts['log'],
    projections: { shadow: () => null, broken: () => (broken ? 'so it is' : null), rebuild: async () => undefined },
  };
  gateway = await openGateway({}, { parts });
  return gateway.url;
};

const asked = async (url: string, lastId: string | null = null) => {
  const stop = new AbortController();
  const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
  const { status, headers: said } = await fetch(url, { headers, signal: stop.signal });
  stop.abort();
  return { status, again: said.get('retry-after') };
};
const refused = { status: 503, again: '1' };
const run = { runId: 'doc-1', lane: LANE, seq: 7 };

describe('while a lane is projected anew', () => {
  it.each(['/v1/live', '/v1/runs/doc-1/live'])('there is no now in %s', async (path) => {
    const url = await openAt(0, run);
    expect(await asked(`${url}${path}`)).toEqual(refused);
    expect(await asked(`${url}${path}?from=start`)).toMatchObject({ status: 200 });
  });

  it('whoever has heard of a run comes again, instead of being told that there is none', async () => {
    const url = await openAt(END - 1, null);
    expect(await asked(`${url}/v1/runs/doc-1/live`, '7')).toEqual(refused);
    expect(await asked(`${url}/v1/runs/doc-1/live`)).toMatchObject({ status: 404 });
  });
});

describe('where the rows are up to date, or will never be', () => {
  it('there is a now, and an unknown run is unknown', async () => {
    const url = await openAt(END, null);
    expect(await asked(`${url}/v1/live`)).toMatchObject({ status: 200 });
    expect(await asked(`${url}/v1/runs/doc-1/live`, '7')).toMatchObject({ status: 404 });
  });

  it('a broken lane keeps nobody waiting', async () => {
    const url = await openAt(0, run, true);
    expect(await asked(`${url}/v1/live`)).toMatchObject({ status: 200 });
  });
});
