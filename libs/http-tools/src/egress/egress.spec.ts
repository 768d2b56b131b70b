import { runTool, verifyTool } from '@holdfast/sdk';
import { toolOf, toolsOf } from '../section.fixture.js';
import { says, Sink } from '../sink.fixture.js';
import { readRange, refusalOf } from './addresses.js';

const sink = new Sink();
beforeAll(() => sink.open());
afterAll(() => sink.close());
beforeEach(() => sink.clear());

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
    '::127.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    'nonsense',
  ])('%s is not connected to', (address) => expect(refusalOf(address, [])).toMatch(address));

  it.each(['1.1.1.1', '93.184.216.34', '::ffff:1.1.1.1', '2606:4700:4700::1111'])('%s is', (address) =>
    expect(refusalOf(address, [])).toBeUndefined(),
  );

  it('may be allowed by its range', () => {
    const allowed = ['10.2.0.0/16', '127.0.0.1', 'fd00::/8'].map((text) => readRange(text, 'here'));
    const verdicts = ['10.2.3.4', '10.3.3.4', '127.0.0.1', '127.0.0.2', '::ffff:10.2.3.4', 'fd12::1', 'fc00::1', '::1'];
    expect(verdicts.filter((address) => refusalOf(address, allowed) === undefined)).toEqual([
      '10.2.3.4',
      '127.0.0.1',
      '::ffff:10.2.3.4',
      'fd12::1',
    ]);
    expect(() => readRange('10.2.0.0/99', 'http.egress.addresses[0]')).toThrow('http.egress.addresses[0]: 10.2.0.0/99');
  });
});

const section = (url: string, more = '') =>
  `${more}\ntools: [{ name: a, version: "1", timeoutMs: 10000, method: POST, policy: unprotected, url: "${url}" }]`;

describe('a request', () => {
  it.each([
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    'localhost',
    'LOCALHOST',
  ])('to %s is not sent, however it is written', async (host) => {
    const tool = await toolOf(section(`http://${host}:${sink.port}/`));
    const ended = await runTool(tool, {});
    expect(ended).toMatchObject({ outcome: 'failed', retry: 'never', failure: { code: 'address_refused' } });
    expect(sink.seen).toEqual([]);
  });

  it('to a name is sent where its address is allowed', async () => {
    const tool = await toolOf(section(`http://localhost:${sink.port}/`, 'egress: { addresses: [127.0.0.0/8, "::1"] }'));
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'succeeded' });
    expect(sink.seen).toHaveLength(1);
  });

  it('does not go over a connection that another tool was allowed to make', async () => {
    const url = `http://127.0.0.1:${sink.port}/`;
    await runTool(await toolOf(section(url, 'egress: { addresses: [127.0.0.1] }')), {});
    expect(await runTool(await toolOf(section(url)), {})).toMatchObject({ failure: { code: 'address_refused' } });
    expect(sink.seen).toHaveLength(1);
  });

  it('that asks what became of a call is held by the same rules', async () => {
    const lookup = `http://localhost:${sink.port}/{key}`;
    const tool = await toolOf(`tools:
  - name: a
    version: "1"
    timeoutMs: 10000
    method: POST
    url: https://api.example/
    headers: { X-Reference: '{key}' }
    policy: verifiable
    settleMs: 0
    lookup: { url: '${lookup}', rules: [{ when: { status: 200 }, verdict: absent }] }`);
    expect(await verifyTool(tool, {})).toMatchObject({
      verdict: 'unknown',
      evidence: { details: expect.stringContaining('address_refused') as unknown },
    });
    expect(sink.seen).toEqual([]);
  });

  it('follows no redirect, so it cannot be led to another address', async () => {
    sink.answer = says(307, undefined, { location: `http://169.254.169.254/latest/meta-data` });
    const tool = await toolOf(section(`http://127.0.0.1:${sink.port}/`, 'egress: { addresses: [127.0.0.1] }'));
    expect(await runTool(tool, {})).toMatchObject({ outcome: 'unknown', failure: { code: 'http_307' } });
    expect(sink.seen).toHaveLength(1);
  });
});

describe('the hosts that a section allows', () => {
  const hosts = 'egress: { hosts: [api.example, "*.shop.example", "own.example:8443", "[2001:db8::1]"] }';

  it.each([
    'https://api.example/',
    'https://API.example:443/',
    'http://a.shop.example/',
    'https://a.b.shop.example/',
    'https://own.example:8443/',
    'https://[2001:db8::1]/',
  ])('%s is one', async (url) => expect(await toolsOf(section(url, hosts))).toHaveLength(1));

  it.each([
    'https://other.example/',
    'https://api.example:8443/',
    'https://shop.example/',
    'https://evilshop.example/',
    'https://own.example/',
    'https://api.example.evil.example/',
  ])('%s is none', async (url) =>
    expect(toolsOf(section(url, hosts))).rejects.toThrow(
      /^http\.tools\[0\]\.url: .* is not one of the hosts that http\.egress\.hosts allows/,
    ),
  );

  it('are written as hosts', async () =>
    expect(toolsOf(section('https://api.example/', 'egress: { hosts: ["https://api.example"] }'))).rejects.toThrow(
      'http.egress.hosts[0]: https://api.example is no host',
    ));
});
