import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered } from './http.fixture.js';
import { gateway, accepting, calls, closeGateway, open, order, post, problem, raw } from './requesting.fixture.js';

afterEach(closeGateway);

describe('around the API', () => {
  it('an address asks so often and no oftener', async () => {
    const ask = await open({}, { settings: { ratePerMinute: 2 } });
    await ask('/v1/walks');
    await ask('/v1/walks');
    const third = await ask('/v1/walks');
    expect(third.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await problem(third)).toMatchObject({ status: 429, code: 'too_many_requests' });
  });

  it('an address asks no oftener for the names that it gives', async () => {
    const ask = await open({}, { settings: { addressRatePerMinute: 1 } });
    await ask('/v1/walks');
    const second = await ask('/v1/walks');
    expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await problem(second)).toMatchObject({ status: 429, code: 'too_many_requests' });
  });

  it('pages of other origins are let in only where somebody has said so', async () => {
    const origin = 'https://example.org';
    const closed = await open();
    const refused = await closed('/v1/walks', { headers: { origin } });
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    await gateway?.close();
    const opened = await open({}, { settings: { corsOrigins: [origin] } });
    const allowed = async (from: string) =>
      (await opened('/v1/walks', { headers: { origin: from } })).headers.get('access-control-allow-origin');
    expect([await allowed(origin), await allowed('https://evil.example')]).toEqual([origin, null]);
  });

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ])('a browser that shows a page of others changes nothing: %j is %i', async (headers, status) => {
    await open({ kill: async () => answered() });
    const response = await raw('/v1/runs/doc-1/kill', 'POST', headers as Record<string, string>);
    expect(response.status).toBe(status);
    if (status === 403) expect(response.text).toContain('"foreign_origin"');
  });

  it('its own page may change things, and one that is let in', async () => {
    const origin = 'https://ops.example';
    await open({ kill: async () => answered() }, { settings: { corsOrigins: [origin] } });
    for (const from of [origin, gateway?.url ?? '']) {
      expect((await raw('/v1/runs/doc-1/kill', 'POST', { origin: from })).status).toBe(200);
    }
  });

  it('nobody comes under a name that only leads here', async () => {
    await open();
    const { port } = new URL(gateway?.url ?? '');
    const asked = async (host: string) => (await raw('/v1/health', 'GET', { host })).status;
    expect(await asked('evil.example')).toBe(403);
    expect([await asked(`localhost:${port}`), await asked('[::1]'), await asked('127.0.0.1')]).toEqual([200, 200, 200]);
  });

  it('a name is kept as it was meant', async () => {
    const ask = await open(accepting);
    await ask('/v1/runs', post(order, { 'x-holdfast-principal': Buffer.from('Jürgen').toString('latin1') }));
    await ask('/v1/runs', post(order, { 'x-holdfast-principal': 'Jürgen' }));
    expect(calls).toMatchObject([{ principal: 'Jürgen' }, { principal: 'Jürgen' }]);
  });

  it.each(['holdfast/lane-3', 'x'.repeat(201)])('nobody comes under the name %j', async (name) => {
    const ask = await open(accepting);
    const refused = await ask('/v1/runs', post(order, { 'x-holdfast-principal': name }));
    expect(await problem(refused)).toMatchObject({ status: 400, errors: [{ at: 'header.x-holdfast-principal' }] });
    expect(calls).toEqual([]);
  });

  it('a page may use no more of a browser than it needs', async () => {
    const ask = await open();
    const { headers } = await ask('/v1/me');
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()') as string,
      'cache-control': 'no-store',
    });
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('the page is served with its files, and files whose names change are kept for ever', async () => {
    const assets = mkdtempSync(join(tmpdir(), 'console-'));
    mkdirSync(join(assets, 'assets'));
    writeFileSync(join(assets, 'index.html'), '<title>Console</title>');
    writeFileSync(join(assets, 'assets', 'main-4f1c.js'), 'main();');
    const ask = await open({}, { assets });
    const page = await ask('/runs/doc-1?tab=steps', { headers: { accept: 'text/html,*/*' } });
    expect([page.status, await page.text()]).toEqual([200, '<title>Console</title>']);
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const file = await ask('/assets/main-4f1c.js');
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await ask('/assets/other.js')).status).toBe(404);
    expect(await problem(await ask('/v1/nothing', { headers: { accept: 'text/html' } }))).toMatchObject({
      status: 404,
    });
    rmSync(assets, { recursive: true });
  });

  it('the page says so where it is not built, and no file is a page', async () => {
    const ask = await open();
    const page = await ask('/runs/doc-1', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('npm run build:console');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect((await ask('/assets/x.js', { headers: { accept: 'text/html' } })).status).toBe(404);
  });

  it('the document is served', async () => {
    const ask = await open();
    expect(await (await ask('/v1/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
    expect((await ask('/v1/health')).status).toBe(200);
  });
});
