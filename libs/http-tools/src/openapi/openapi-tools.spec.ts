import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, silentLogger, verifyTool, type Tool } from '@holdfast/sdk';
import { yamlSource } from '@holdfast/yaml';
import { toolsFromSection } from '../section/section.js';
import { says, Sink } from '../sink.fixture.js';

const sink = new Sink();
const directory = mkdtempSync(join(tmpdir(), 'holdfast-openapi-'));
beforeAll(() => sink.open());
afterAll(() => {
  sink.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => sink.clear());

const SHOP = `
openapi: 3.0.3
info: { title: Shop, version: "7" }
servers: [{ url: "https://{region}.shop.example/v1/", variables: { region: { default: eu } } }]
paths:
  /orders:
    post:
      operationId: createOrder
      summary: Makes an order.
      parameters:
        - { name: Idempotency-Key, in: header, required: true, schema: { type: string } }
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewOrder' } } }
    get:
      operationId: findOrders
      parameters:
        - { name: "filter[state]", in: query, schema: { type: string, enum: [open, done] } }
        - { name: tag, in: query, schema: { type: array, items: { type: string } } }
        - { $ref: '#/components/parameters/Reference' }
  /orders/{order-id}:
    parameters:
      - { name: order-id, in: path, required: true, description: which one, schema: { type: string } }
    get: {}
    delete:
      operationId: dropOrder
      parameters:
        - { name: X-Reason, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
  /upload:
    put:
      operationId: upload
      requestBody: { content: { image/png: {} } }
  /report:
    post:
      operationId: report
      requestBody:
        content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { from: { type: string }, to: { type: string } } } } }
components:
  parameters:
    Reference: { name: reference, in: query, schema: { type: string } }
  schemas:
    NewOrder:
      type: object
      required: [sku, amount]
      properties:
        sku: { type: string }
        amount: { type: integer, minimum: 0, exclusiveMinimum: true }
        note: { type: string, nullable: true, example: { nullable: true } }
        nullable: { type: boolean }
        parts: { type: array, items: { $ref: '#/components/schemas/NewOrder' } }
`;

type Warning = { readonly operation?: string; readonly reason?: string };
let warnings: Warning[] = [];

const load = async (section: string, document = SHOP, name = 'shop.yaml'): Promise<readonly Tool[]> => {
  warnings = [];
  writeFileSync(join(directory, name), document);
  const value = yamlSource(section, 'tools.yaml').value;
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
  return (await toolsFromSection(value, { file: 'tools.yaml', directory, logger })).tools;
};
const shop = (more = '') => `openapi:\n  - { file: shop.yaml, version: "1", timeoutMs: 10000, ${more} }\n`;
const local = (operations: string) => `egress: { addresses: [127.0.0.1] }
openapi:
  - file: shop.yaml
    server: ${sink.origin}/v1
    version: "1"
    timeoutMs: 10000
    others: leave out
    operations:
${operations}`;
const only = async (operations: string): Promise<Tool> => {
  const [tool] = await load(local(operations));
  if (tool === undefined) throw new Error('there is no tool');
  return tool;
};

describe('an OpenAPI document', () => {
  it('makes a tool of each operation that it can: reads may be repeated, all else is unprotected', async () => {
    const tools = await load(shop('prefix: shop-'));
    expect(tools.map(({ name, policy }) => `${name} ${policy}`)).toEqual([
      'shop-findOrders repeatable',
      'shop-createOrder unprotected',
      'shop-get_orders_order-id_ repeatable',
      'shop-dropOrder unprotected',
      'shop-report unprotected',
    ]);
    expect(warnings).toMatchObject([{ operation: 'upload', reason: 'its body is image/png, not JSON or a form' }]);
  });

  it('gives tools their descriptions and one schema of parameters and body', async () => {
    const [create] = await load(shop('others: leave out, operations: { createOrder: {} }'));
    const { inputSchema, description } = create?.catalogueEntry() ?? {};
    expect(description).toBe('Makes an order.');
    expect(inputSchema).toMatchObject({ required: ['Idempotency-Key', 'body'], additionalProperties: false });
    const body = { sku: 'a', amount: 1, note: null, nullable: true, parts: [{ sku: 'b', amount: 2 }] };
    const args = { 'Idempotency-Key': 'k', body };
    expect(create?.checkArgs(args).ok).toBe(true);
    for (const wrong of [{ amount: 0 }, { sku: 7 }, { note: 7 }, { parts: [{ sku: 'b' }] }]) {
      expect(create?.checkArgs({ ...args, body: { ...body, ...wrong } }).ok).toBe(false);
    }
    expect(create?.checkArgs({ ...args, more: 1 }).ok).toBe(false);
  });

  it('is sent as it asks for: path, query, headers', async () => {
    const find = await only('      findOrders: { policy: pure }');
    await runTool(find, { filter_state_: 'open', tag: ['a b', 'c'] });
    const drop = await only('      dropOrder: {}');
    await runTool(drop, { 'order-id': 'a/b', 'X-Reason': 'so' });
    await runTool(drop, { 'order-id': '../users' });
    const report = await only('      report: { policy: repeatable }');
    await runTool(report, { body: { from: 'a&b' } });
    await runTool(report, {});
    expect(sink.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'GET /v1/orders?filter%5Bstate%5D=open&tag=a%20b&tag=c ',
      'DELETE /v1/orders/a%2Fb ',
      'POST /v1/report from=a%26b',
      'POST /v1/report ',
    ]);
    expect(sink.seen[1]?.headers).toMatchObject({ 'x-reason': 'so' });
  });

  it('is what is said of its operations: policies, keys, look-ups, results', async () => {
    const create = await only(`      POST /orders:
        name: order
        policy: keyed
        keyTtlMs: 86400000
        key: { from: [/body/sku] }
        result: { id: { $from: body.id } }
        lookup:
          url: ${sink.origin}/v1/orders
          query: { reference: '{key}' }
          rules: [{ when: { pointer: /0, exists: true }, verdict: applied, record: /0 }]
`);
    sink.answer = says(201, { id: 9, more: 1 });
    const args = { body: { sku: 'a', amount: 1 } };
    expect(await runTool(create, args)).toMatchObject({ outcome: 'succeeded', result: { id: 9 } });
    expect(sink.seen[0]?.body).toBe('{"sku":"a","amount":1}');
    // The document asks for the key as an argument; the runtime gives it, and nobody else may.
    const key = sink.seen[0]?.headers['idempotency-key'];
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    sink.answer = says(200, [{ id: 9 }]);
    expect(await verifyTool(create, args)).toMatchObject({ verdict: 'applied', result: { id: 9 } });
    expect(sink.seen[1]?.url).toBe(`/v1/orders?reference=${String(key)}`);
  });

  const broken = (change: (text: string) => string) => change(SHOP);
  it.each<[string, string, string]>([
    [shop(), broken((text) => text.replace('3.0.3', '2.0')), 'http.openapi[0].file: shop.yaml is no OpenAPI document'],
    [
      shop(),
      broken((text) => text.replace('parameters/Reference', 'parameters/None')),
      'a reference in the document leads nowhere',
    ],
    [shop(), 'a: [', 'http.openapi[0].file: shop.yaml is not YAML or JSON that can be used'],
    [
      shop(),
      broken((text) => text.replace(/servers:.*\n/, '')),
      'http.openapi[0]: shop.yaml does not say where the API is (it has no servers): add server: https://…',
    ],
    [shop('server: /v1'), SHOP, 'shop.yaml does not say where the API is (it says /v1)'],
    [
      shop('operations: { makeOrder: {} }'),
      SHOP,
      'http.openapi[0].operations.makeOrder: shop.yaml has no such operation; it has findOrders, createOrder',
    ],
    [
      shop('operations: { upload: {} }'),
      SHOP,
      'http.openapi[0].operations.upload: no tool can be made of it: its body is image/png',
    ],
    [shop('operations: { createOrder: { policy: keyed } }'), SHOP, 'createOrder@1: is keyed; add keyTtlMs'],
    [
      shop('operations: { createOrder: { polcy: keyed } }'),
      SHOP,
      'http.openapi[0].operations.createOrder.polcy: is not known here',
    ],
    [
      shop('operations: { createOrder: { policy: pure } }'),
      SHOP,
      'http.openapi[0].operations.createOrder.policy: POST may change something',
    ],
    [shop('auth: { bearer: sk_live_424242 }'), SHOP, 'http.openapi[0].auth.bearer: must not stand in the file'],
    [
      shop().replace('shop.yaml', 'none.yaml'),
      SHOP,
      'http.openapi[0].file: none.yaml cannot be read: there is no such file',
    ],
  ])('that cannot be used says why', async (section, document, message) => {
    await expect(load(section, document)).rejects.toThrow(message);
  });

  it.each([
    ['a reference to another file', "parts: { $ref: './other.yaml#/x' }", './other.yaml#/x is not followed'],
    ['a reference to another host', "parts: { $ref: 'http://127.0.0.1:1/x' }", 'http://127.0.0.1:1/x is not followed'],
  ])('with %s makes no tool of that operation', async (_, line, reason) => {
    const document = SHOP.replace(/parts: .*/, line);
    const tools = await load(shop(), document);
    expect(tools.map(({ name }) => name)).not.toContain('createOrder');
    expect(warnings.map((one) => one.reason)).toContainEqual(expect.stringContaining(reason));
    await expect(load(shop('operations: { createOrder: {} }'), document)).rejects.toThrow(reason);
  });

  it.each([
    ['{ name: a, in: query, schema: { type: object } }', 'its parameter a is an object'],
    ['{ name: a, in: query, explode: false, schema: { type: array } }', 'its parameter a is a list that'],
    ['{ name: a, in: header, schema: { type: array } }', 'its parameter a is a list that'],
    ['{ name: a, in: cookie, required: true, schema: {} }', 'it needs the cookie a'],
    ['{ name: X-Reason, in: query, schema: {} }', 'two of its parameters are called X-Reason'],
    ['{ name: Host, in: header, schema: {} }', 'Host is set by the runtime'],
  ])('with a parameter that cannot be written makes no tool of it: %s', async (parameter, reason) => {
    const document = SHOP.replace('        - { name: X-Reason', `        - ${parameter}\n        - { name: X-Reason`);
    await expect(load(shop('operations: { dropOrder: {} }'), document)).rejects.toThrow(reason);
    expect((await load(shop(), document)).map(({ name }) => name)).not.toContain('dropOrder');
  });

  it('may be of OpenAPI 3.1, and in JSON', async () => {
    const document = {
      openapi: '3.1.0',
      servers: [{ url: 'https://api.example' }],
      paths: {
        '/a': {
          get: { parameters: [{ name: 'n', in: 'query', schema: { type: ['integer', 'null'], exclusiveMinimum: 2 } }] },
        },
      },
    };
    const [tool] = await load(shop().replace('shop.yaml', 'a.json'), JSON.stringify(document), 'a.json');
    expect([3, null, 2, 'x'].map((n) => tool?.checkArgs({ n }).ok)).toEqual([true, true, false, false]);
  });
});
