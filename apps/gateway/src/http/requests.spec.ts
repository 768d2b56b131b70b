import { routes } from '@holdfast/api';
import { refusalCodes } from '@holdfast/contracts';
import { ClientError, NoAnswer, RequestRefused, type Answer, type Pending } from '@holdfast/sdk';
import { answered } from './http.fixture.js';
import { controllers } from './http.module.js';
import { ROUTE } from './serves.js';
import { accepting, calls, closeGateway, open, order, post, problem } from './requesting.fixture.js';

afterEach(closeGateway);

describe('the table of routes', () => {
  it('has one handler for each, and no handler has none', () => {
    const served = controllers.flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).flatMap((name) => {
        const handler = (prototype as unknown as Record<string, object>)[name] ?? {};
        return (Reflect.getMetadata(ROUTE, handler) as { id: string } | undefined)?.id ?? [];
      }),
    );
    expect(served.toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  it('calls each operation by the name under which it is kept', () => {
    for (const [name, { id }] of Object.entries(routes)) expect(id).toBe(name);
  });
});

describe('a request that is wrong', () => {
  it('is answered with each field that is wrong', async () => {
    const ask = await open(accepting);
    const body = { runId: 'a b', labels: { team: 7 }, deadlineMs: 0, waitms: 1 };
    const { code, errors } = await problem(await ask('/v1/runs', post(body)));
    expect(code).toBe('invalid_input');
    const places = errors?.map(({ at }) => at);
    expect(places).toEqual(['body.runId', 'body.program', 'body.labels.team', 'body.deadlineMs', 'body.waitms']);
    expect(calls).toEqual([]);
  });

  it.each([
    ['/v1/runs?limit=0', 'query.limit'],
    ['/v1/runs?limit=201', 'query.limit'],
    ['/v1/runs?status=running&status=walking', 'query.status.1'],
    ['/v1/runs?state=running', 'query.state'],
    ['/v1/runs?cursor=hello', 'query.cursor'],
    ['/v1/runs?label=team', 'query.label'],
    ['/v1/runs/a%20b', 'path.runId'],
    ['/v1/dead-letters/x/1', 'path.partition'],
  ])('%s names %s', async (path, at) => {
    const ask = await open();
    const { status, errors } = await problem(await ask(path));
    expect([status, errors?.map((wrong) => wrong.at)]).toEqual([400, [at]]);
  });

  it('names what is wrong inside of alternatives', async () => {
    const ask = await open(accepting);
    const body = { ...order, budget: { money: { amount: 'much', currency: 'EUR' } } };
    const { errors } = await problem(await ask('/v1/runs', post(body)));
    expect(errors?.map(({ at }) => at)).toEqual(['body.budget.money.amount']);
  });

  it('says what is there where it asks for nothing that there is', async () => {
    const ask = await open();
    expect(await problem(await ask('/v1/walks'))).toMatchObject({ status: 404, code: 'unknown_route' });
    const wrong = await ask('/v1/runs/doc-1', { method: 'DELETE' });
    expect(wrong.headers.get('allow')).toBe('GET');
    expect(await problem(wrong)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(await problem(await ask('/v1/runs/%E0%A4%A'))).toMatchObject({ status: 400 });
  });

  it('must be JSON, of a type, a size and a depth', async () => {
    const ask = await open(accepting);
    expect(await problem(await ask('/v1/runs', post('{"runId":')))).toMatchObject({ status: 400, code: 'bad_json' });
    const plain = post(order, { 'content-type': 'text/plain' });
    expect(await problem(await ask('/v1/runs', plain))).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    const large = post({ ...order, input: 'x'.repeat(10_000) });
    expect(await problem(await ask('/v1/runs', large))).toMatchObject({
      status: 413,
      code: 'too_large',
      detail: expect.stringContaining('10000') as string,
    });
    const deep = post(`{"runId":"doc-1","program":1,"input":${'['.repeat(2_000)}${']'.repeat(2_000)}}`);
    expect(await problem(await ask('/v1/runs', deep))).toMatchObject({ status: 400, errors: [{ at: 'body' }] });
    expect(await problem(await ask('/v1/runs', { method: 'POST' }))).toMatchObject({ status: 400 });
    expect(await problem(await ask('/v1/runs', post('7')))).toMatchObject({ status: 400, errors: [{ at: 'body' }] });
    expect(calls).toEqual([]);
  });

  it('asks for no text that holds the character 0, nor for a dead letter of no partition', async () => {
    const ask = await open();
    for (const [path, at] of [
      ['/v1/runs?text=a%00', 'query.text'],
      ['/v1/runs?label=a%3Db&label=c%00%3Dd', 'query.label'],
      ['/v1/runs/doc-1/steps/a%00', 'path.stepId'],
    ] as const)
      expect(await problem(await ask(path))).toMatchObject({ status: 400, errors: [{ at }] });
    const letter = await problem(await ask('/v1/dead-letters/3000000000/1'));
    expect(letter).toMatchObject({ status: 404, code: 'unknown_dead_letter' });
  });

  it('is a failure of the gateway only where nobody expected it', async () => {
    const ask = await open({ pause: () => Promise.reject(new TypeError('secret')) });
    const failed = await problem(await ask('/v1/runs/doc-1/pause', post({})));
    expect(failed).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(failed)).not.toContain('secret');
  });
});

describe('a change', () => {
  it('is answered with what the coordinator says', async () => {
    const ask = await open(accepting);
    const body = { ...order, requestId: 'q-9', waitMs: 500, labels: { team: 'shop' } };
    const response = await ask('/v1/runs', post(body, { 'x-holdfast-principal': 'ann' }));
    expect([response.status, response.headers.get('location')]).toEqual([200, '/v1/runs/doc-1']);
    expect(await response.json()).toEqual({ requestId: 'q-9', runId: 'doc-1', outcome: 'accepted' });
    const { waitMs: _wait, ...asked } = body;
    expect(calls).toEqual([{ ...asked, principal: 'ann', answerWithinMs: 500 }]);
  });

  it('is known by the header where the body says no id', async () => {
    const ask = await open(accepting);
    await ask('/v1/runs', post(order, { 'idempotency-key': '"key-1"' }));
    expect(calls).toMatchObject([{ requestId: 'key-1', principal: 'api', answerWithinMs: 0 }]);
    const other = post({ ...order, requestId: 'key-2' }, { 'idempotency-key': 'key-1' });
    const { errors } = await problem(await ask('/v1/runs', other));
    expect(errors?.map(({ at }) => at)).toEqual(['header.idempotency-key']);
  });

  it('is pending once the log has it, and not acknowledged before', async () => {
    let landed = true;
    const ask = await open({ cancel: () => Promise.reject(new NoAnswer('nobody answered', landed)) });
    const pending = await ask('/v1/runs/doc-1/cancel', post({ requestId: 'q-1' }));
    expect(pending.status).toBe(202);
    expect(await pending.json()).toEqual({ requestId: 'q-1', runId: 'doc-1', outcome: 'pending' });
    landed = false;
    const lost = await ask('/v1/runs/doc-1/cancel', post({ requestId: 'q-1' }));
    expect(lost.headers.get('retry-after')).toBe('1');
    expect(await problem(lost)).toMatchObject({ status: 503, code: 'not_acknowledged', requestId: 'q-1' });
  });

  it.each([
    ['unreachable', 503],
    ['closed', 503],
    ['too_large', 413],
    ['invalid_request', 422],
    ['unsound_history', 500],
  ] as const)('that ends as %s is a problem of %i', async (code, status) => {
    const ask = await open({ resume: () => Promise.reject(new ClientError(code, 'so it is')) });
    expect((await problem(await ask('/v1/runs/doc-1/resume', post({})))).status).toBe(status);
  });

  it.each(refusalCodes)('that is refused as %s is a problem with that code', async (code) => {
    const reply = answered({ outcome: 'refused', code, message: 'no', details: { by: 'ann' } });
    const ask = await open({ kill: () => Promise.reject(new RequestRefused(reply)) });
    const refused = await problem(await ask('/v1/runs/doc-1/kill', post({})));
    expect(refused).toMatchObject({ code, detail: 'no', details: { by: 'ann' }, requestId: 'q-1' });
    expect([404, 409, 422, 500]).toContain(refused.status);
  });

  it('of many runs is one request', async () => {
    const answers: (Answer | Pending)[] = [answered({ details: { runs: 2 } })];
    const ask = await open({
      cancelRuns: async (asked) => {
        calls.push(asked);
        return { requestId: asked.requestId ?? '', answers };
      },
    });
    const body = { labels: { team: 'shop' }, requestId: 'q-2', mode: 'drain' };
    const response = await ask('/v1/cancels', post(body));
    expect(await response.json()).toMatchObject({ requestId: 'q-2', answers: [{ details: { runs: 2 } }] });
    expect(calls).toEqual([{ ...body, principal: 'api', answerWithinMs: 0 }]);
    expect(response.status).toBe(200);
    answers.push({ requestId: 'q-2@1', runId: 'lane/1', outcome: 'pending' });
    const partly = await ask('/v1/cancels', post(body));
    const { answers: told } = (await partly.json()) as { answers: unknown };
    expect([partly.status, told]).toMatchObject([202, [{ details: { runs: 2 } }, answers[1]]]);
    expect((await problem(await ask('/v1/cancels', post({ labels: {} })))).errors).toMatchObject([
      { at: 'body.labels' },
    ]);
  });

  it('that answers names the question', async () => {
    const ask = await open();
    const nothing = await problem(await ask('/v1/runs/doc-1/answer', post({ choice: 'retry' })));
    expect(nothing.errors).toMatchObject([{ at: 'body.escalation' }]);
    const away = await problem(await ask('/v1/runs/doc-1/signals/q', post({ value: 1 })));
    expect(away).toMatchObject({ status: 503, code: 'database_unavailable' });
  });
});
