import type { Browser, Locator, Page } from 'playwright-core';
import { errorsOf, openBrowser, openPage, type Look } from './browser.js';
import { FixtureServer } from './fixture-server.js';
import { BIG } from './names.js';

export const server = new FixtureServer();
export let address: string;
let browser: Browser;
export let page: Page;
/** Opens a browser before the fixture server for the tests of a file; no page may have complained after any of them. */
export const inABrowser = (): void => {
  beforeAll(async () => {
    address = await server.start();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });
  afterEach(async () => {
    expect(errorsOf(page)).toEqual([]);
    expect(server.breaches).toEqual([]);
    await page.context().close();
  });
};

export const RUN = `/runs/${BIG}`;
export const open = async (path: string, look: Look = {}): Promise<void> => {
  server.reset();
  page = await openPage(browser, look);
  await page.goto(`${address}${path}`);
};
export const rows = (): Locator => page.locator('main [role="row"][aria-rowindex]');
export const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
export const posted = () =>
  server.written.map(({ path, body: { requestId, ...body }, principal }) => ({
    path,
    body,
    principal,
    named: typeof requestId,
  }));
