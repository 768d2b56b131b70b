import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@holdfast/dev';
import { shoot, violations } from './support/browser.js';
import { address, button, inABrowser, open, page, RUN, server } from './support/in-a-browser.js';

inABrowser();

const asked = async (path: string, tokens: NonNullable<typeof server.tokens>): Promise<void> => {
  await open('/favicon.svg');
  server.tokens = tokens;
  await page.goto(`${address}${path}`);
};
const signIn = async (token: string): Promise<void> => {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await button('Sign in').click();
};

describe('a gateway that asks who one is', () => {
  it('is told by a token, which the tab keeps until somebody signs out', async () => {
    await asked(RUN, { 'good-one': ['viewer', 'operator'] });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shoot(page, 'sign-in');
    await signIn('good-one');
    await button('Pause').waitFor();
    await page.reload();
    await button('Pause').waitFor();
    expect(page.url()).not.toContain('good-one');
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain('good-one');
    await button('You are oidc:ann').click();
    await page.getByText('Roles: viewer, operator').waitFor();
    await button('Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('says why it takes a token no more, at any moment', async () => {
    await asked('/runs', { 'good-one': ['viewer'] });
    await signIn('bad one');
    await page.getByText('That is no token').waitFor();
    await signIn('other');
    await page.getByText('The token is refused. It is not known here.').waitFor();
    await signIn('good-one');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    server.tokens = {};
    await page.keyboard.press('r');
    await page.getByText('The token is refused. It is not known here.').waitFor();
  });

  it('lets do what the roles allow, and says what is missing for the rest', async () => {
    await asked(RUN, { looks: ['viewer'], operates: ['operator'] });
    await signIn('looks');
    await button('Pause').waitFor();
    expect(await button('Pause').isDisabled()).toBe(true);
    expect(await button('Pause').getAttribute('title')).toBe('This needs the role operator; you have the role viewer.');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${address}/inbox`);
    await page.getByText('This needs the role approver; you have the role viewer.').first().waitFor();
    await button('You are oidc:ann').click();
    await button('Sign out').click();
    await signIn('operates');
    await page.goto(`${address}${RUN}`);
    await button('Pause').waitFor();
    expect([await button('Pause').isDisabled(), await button('Kill').isDisabled()]).toEqual([false, true]);
  });
});

describe('a gateway that asks nobody', () => {
  it('says so on every page', async () => {
    await open('/runs');
    await page.getByText('nobody is asked who they are').waitFor();
  });
});

describe('an issuer', () => {
  let issuer: Server;
  let url: string;
  /** What the issuer was asked for the code, and for the token. */
  const heard: URLSearchParams[] = [];
  beforeAll(async () => {
    issuer = createServer((request, response) => {
      const asks = new URL(request.url ?? '/', url);
      const reply = (body: object): void => {
        response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
        response.end(JSON.stringify(body));
      };
      if (asks.pathname === '/authorize') {
        heard.push(asks.searchParams);
        const to = new URL(asks.searchParams.get('redirect_uri') ?? '');
        to.searchParams.set('code', 'the-code');
        to.searchParams.set('state', asks.searchParams.get('state') ?? '');
        response.writeHead(302, { location: to.href }).end();
      } else if (asks.pathname === '/token') {
        let body = '';
        request.on('data', (piece: Buffer) => (body += piece.toString()));
        request.on('end', () => {
          heard.push(new URLSearchParams(body));
          const parts = [{ alg: 'none' }, { iss: url, aud: 'console', sub: 'ann', exp: 4_000_000_000, iat: 1 }];
          const id = `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;
          reply({ access_token: 'from-issuer', token_type: 'Bearer', id_token: id, expires_in: 600 });
        });
      } else {
        reply({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
        });
      }
    });
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => issuer.close(resolve)));

  it('signs people in by the code flow with PKCE, and sends them back to where they were', async () => {
    await open('/favicon.svg');
    server.tokens = { 'from-issuer': ['operator'] };
    const oidc = { issuer: url, clientId: 'console', scope: 'openid' };
    server.world = { ...server.world, me: { ...server.world.me, signIn: { tokens: true, oidc } } };
    await page.goto(`${address}${RUN}?tab=steps`);
    await button(`Sign in at ${new URL(url).host}`).click();
    await button('Pause').waitFor();
    await eventually('the page is where it was', () => page.url() === `${address}${RUN}?tab=steps`);
    const [code, token] = heard;
    expect(code?.get('response_type')).toBe('code');
    expect([code?.get('code_challenge_method'), code?.get('client_id')]).toEqual(['S256', 'console']);
    expect(token?.get('grant_type')).toBe('authorization_code');
    expect(token?.get('code_verifier')?.length).toBeGreaterThan(42);
  });
});
