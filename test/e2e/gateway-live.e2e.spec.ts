import { pathOf, routes } from '@holdfast/api';
import { eventually, startKafka, startPostgres, type KafkaCluster, type PostgresServer } from '@holdfast/dev';
import { EventStream } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { chain, plan, step } from './support/plans.js';
import { World } from './support/world.js';

let kafka: KafkaCluster;
let postgres: PostgresServer;
let world: World;
let gateway: Gateway;
const streams: EventStream[] = [];
beforeAll(async () => {
  [kafka, postgres] = await Promise.all([startKafka(), startPostgres()]);
  world = await World.open(kafka);
  gateway = await Gateway.open(world, postgres.url);
});
afterAll(async () => {
  for (const stream of streams) stream.close();
  await gateway?.member.killWhole();
  await world?.close();
  await Promise.all([postgres?.stop(), kafka?.stop()]);
});

const listen = async (path: string, lastId: string | null = null): Promise<EventStream> => {
  const stream = await EventStream.open(`${gateway.url}${path}`, lastId);
  streams.push(stream);
  return stream;
};
const ofRun = (runId: string, from = 'start') => `${pathOf(routes.watchRun, { runId })}?from=${from}`;
const known = (runId: string) => gateway.until(routes.getRun, { params: { runId } }, () => true);
const sums = plan([step('a', 'add', { numbers: [1] })]);

describe('one run', () => {
  it('is heard from its first event to its last, whoever comes when', async () => {
    const runId = await world.runs.id('heard');
    await world.runs.submit(runId, chain('post', 12));
    await known(runId);
    const early = await listen(ofRun(runId));
    await early.until('the end', ({ type }) => type === 'RunEnded');
    const types = (await world.runs.history(runId)).types();
    expect(early.heard.map(({ event }) => event.type)).toEqual(types);
    expect(early.heard.map(({ id, event }) => [id, event.runId])).toEqual(
      early.heard.map(({ event }) => [String(event.seq), runId]),
    );
    expect(early.heard.at(-1)?.event).toMatchObject({ type: 'RunEnded', reason: 'succeeded' });
    expect(early.heard.at(-1)?.event.words).toContain('The run ended');

    const middle = early.heard[4]?.id ?? '';
    const later = await listen(ofRun(runId, 'now'), middle);
    await later.until('the end', ({ type }) => type === 'RunEnded');
    expect(later.heard).toEqual(early.heard.slice(5));
  });

  it('that nobody knows cannot be heard, nor an id that is none', async () => {
    expect((await fetch(`${gateway.url}${ofRun('nobody')}`)).status).toBe(404);
    const runId = await world.runs.id('heard');
    await world.runs.submit(runId, sums);
    await known(runId);
    const wrong = await fetch(`${gateway.url}${ofRun(runId)}`, { headers: { 'last-event-id': 'x' } });
    expect(wrong.status).toBe(400);
    const all = await fetch(`${gateway.url}/v1/live`, { headers: { 'last-event-id': '1.2' } });
    expect(await all.json()).toMatchObject({ status: 400, errors: [{ at: 'header.last-event-id' }] });
  });
});

describe('all runs', () => {
  it('are heard without a gap or a repeat, through cuts and through a gateway that is killed', async () => {
    const ids = await world.runs.ids('crowd', 60);
    const heard: string[] = [];
    let last: string | null = null;
    const take = (stream: EventStream): void => {
      stream.close();
      heard.push(...stream.heard.map(({ event }) => `${event.lane}/${event.seq}`));
      last = stream.lastEventId;
    };
    let stream = await listen('/v1/live?from=start');
    const submitting = Promise.all(ids.map((runId) => world.runs.submit(runId, sums)));
    await stream.until('a begin', ({ type }) => type === 'RunAccepted');
    take(stream);
    for (let cuts = 0; cuts < 5; cuts += 1) {
      stream = await listen('/v1/live', last);
      const before = heard.length;
      await eventually('something more', async () => stream.heard.length > 0 || before > 200);
      take(stream);
    }
    await submitting;
    await gateway.member.killWhole();
    await gateway.member.start();
    stream = await listen('/v1/live', last);
    await eventually('the end of all runs', async () => {
      const known = await gateway.all<{ status: string; runId: string }>(
        routes.listRuns,
        { query: { text: 'crowd' } },
        200,
      );
      return known.length === 60 && known.every(({ status }) => status === 'ended');
    });
    const marker = await world.runs.id('marker');
    await world.runs.submit(marker, sums);
    await stream.until('the marker', ({ runId, type }) => runId === marker && type === 'RunEnded');
    take(stream);

    const expected = await everything([...ids, marker]);
    const ofThem = new Set(expected);
    const got = heard.filter((place) => ofThem.has(place));
    expect(got).toHaveLength(expected.length);
    expect(new Set(heard).size).toBe(heard.length);
    expect(got.toSorted()).toEqual(expected.toSorted());
  });

  it('are told why when the gateway stops', async () => {
    const stream = await listen('/v1/live');
    await gateway.member.stop(10_000);
    await eventually('the end is said', async () => stream.ended !== null);
    expect(stream.ended).toBe('stopping');
  });
});

/** The places of all records of these runs, as the log has them. */
const everything = async (ids: readonly string[]): Promise<readonly string[]> => {
  const histories = await Promise.all(ids.map((runId) => world.client.readRun(runId)));
  return histories.flatMap(({ lane, records }) => records.map((record) => `${lane}/${record.lane.seq}`));
};
