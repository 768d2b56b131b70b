import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stateDir } from '@holdfast/dev';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Where a Chromium is looked for, and what to do where there is none. */
export const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export const openBrowser = (): Promise<Browser> => {
  if (!existsSync(chromiumPath)) {
    throw new Error(
      `no Chromium at ${chromiumPath}: install one (apt-get install chromium), or name it with CHROMIUM=path`,
    );
  }
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
};

export type Scheme = 'light' | 'dark';
export type Look = { readonly scheme?: Scheme; readonly width?: number; readonly height?: number };

/** What went wrong in a page without being shown: exceptions, refused scripts and the like. */
const told = new WeakMap<Page, string[]>();
export const errorsOf = (page: Page): readonly string[] => told.get(page) ?? [];

export const openPage = async (browser: Browser, look: Look = {}): Promise<Page> => {
  const { scheme = 'light', width = 1_280, height = 860 } = look;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Vienna',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  const errors: string[] = [];
  told.set(page, errors);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // What the server answers with an error is said by the page, and by the browser once more.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
  });
  page.setDefaultTimeout(40_000);
  return page;
};

const shots = join(stateDir, 'test', 'console');

/** Kept after the test, to be looked at. */
export const shoot = async (page: Page, name: string): Promise<void> => {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
};

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
type Violation = {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

/** What axe finds wrong with the page as it is now, in words. */
export const violations = async (page: Page): Promise<readonly string[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeSource());
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<{ violations: unknown }> } }).axe.run(),
  );
  return (found.violations as Violation[]).flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 4).map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 220)}\n  ${failureSummary}`),
  );
};

/** Handed over as code and not as a script element, which the page's own policy forbids. */
const axeSource = async (): Promise<string> => {
  const { readFile } = await import('node:fs/promises');
  return readFile(axe, 'utf8');
};
