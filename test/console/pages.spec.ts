import type { Browser, Page } from 'playwright-core';
import { errorsOf, openBrowser, openPage, shoot, violations, type Look } from './support/browser.js';
import { FixtureServer } from './support/fixture-server.js';
import { BIG } from './support/names.js';

const server = new FixtureServer();
let address: string;
let browser: Browser;
beforeAll(async () => {
  address = await server.start();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server.stop();
});
beforeEach(() => server.reset());

const RUN = `/runs/${BIG}`;
/** Every page with something that shows that it is there. */
const pages: readonly (readonly [name: string, path: string, sign: string])[] = [
  ['runs', '/runs', `[role="row"] >> text=${BIG}`],
  ['overview', RUN, 'text=What it has done to the world'],
  ['timeline', `${RUN}/timeline`, 'text=5,000 attempts in'],
  ['steps', `${RUN}/steps`, '[role="row"] >> text=document[0].read'],
  ['step', `${RUN}/steps?step=document%5B610%5D.read`, 'text=What happened'],
  ['effects', `${RUN}/effects`, '[role="row"] >> text=document[0].file'],
  ['transcript', `${RUN}/transcript`, 'text=I look at the deed first.'],
  ['questions', `${RUN}/questions`, 'text=Exactly this call, once'],
  ['history', `${RUN}/history`, '[role="row"] >> text=StepScheduled'],
  ['time-travel', `${RUN}/time-travel`, '[aria-label="State"]'],
  ['inbox', '/inbox', 'text=How shall the archive be copied?'],
  ['doubts', '/doubts', 'text=The call may still take effect'],
  ['executors', '/executors', 'text=executor-1'],
  ['lanes', '/lanes', 'text=stands still'],
  ['dead-letters', '/dead-letters', '[role="row"] >> text=not_json'],
  ['dead-letter', '/dead-letters?letter=3%2F1', 'text=Send again…'],
  ['help', '/help', 'text=What a run can be'],
];

const looks: readonly (readonly [string, Look])[] = [
  ['light', { scheme: 'light' }],
  ['dark', { scheme: 'dark' }],
  ['phone', { scheme: 'light', width: 360, height: 740 }],
  ['phone-dark', { scheme: 'dark', width: 360, height: 740 }],
];

const see = async (page: Page, path: string, sign: string): Promise<void> => {
  await page.goto(`${address}${path}`);
  await page.locator(sign).first().waitFor();
};

describe.each(looks)('in %s', (look, options) => {
  it.each(pages)('the page %s is there, sound for axe, and as wide as the window', async (name, path, sign) => {
    const page = await openPage(browser, options);
    await see(page, path, sign);
    await page.locator('[data-connection="live"]').waitFor();
    await shoot(page, `${name}-${look}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect({ wider, found: await violations(page), errors: errorsOf(page), breaches: server.breaches }).toEqual({
      wider: 0,
      found: [],
      errors: [],
      breaches: [],
    });
    await page.context().close();
  });
});
