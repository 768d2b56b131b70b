import { violations } from './support/browser.js';
import { RUN, address, button, inABrowser, open, page, rows } from './support/in-a-browser.js';

inABrowser();

describe('the keyboard', () => {
  it('leads everywhere', async () => {
    await open('/runs');
    await rows().first().waitFor();
    for (const [keys, path] of [
      ['gi', '/inbox'],
      ['gd', '/doubts'],
      ['ge', '/executors'],
      ['gl', '/lanes'],
      ['gx', '/dead-letters'],
      ['gh', '/help'],
      ['gr', '/runs'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForURL(`${address}${path}`);
    }
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${address}${RUN}`);
    await page.getByText('What is going on').waitFor();
    await page.keyboard.press('3');
    await page.waitForURL(`${address}${RUN}/steps`);
    await rows().first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('document[7]');
    await page.getByText('2 steps, that is all').waitFor();
  });

  it('shows its shortcuts, and gives the focus back', async () => {
    await open('/runs');
    await rows().first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('meets the skip link first, then each thing in the order of the page, and always sees where it is', async () => {
    await open('/runs');
    await rows().first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    const seen: string[] = [];
    for (let turn = 0; turn < 14; turn += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        const style = getComputedStyle(element);
        const shown =
          style.outlineStyle !== 'none' || style.boxShadow !== 'none' || element.closest('[data-row]') !== null;
        return { name: element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '', shown };
      });
      expect(focus).toMatchObject({ shown: true });
      seen.push(focus.name);
    }
    expect(seen.findIndex((name) => name === 'Runs')).toBeGreaterThan(0);
    expect(seen.findIndex((name) => /running/.test(name))).toBeGreaterThan(seen.findIndex((name) => name === 'Runs'));
    await page.keyboard.press('Shift+Tab');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  it('changes the colours, and they stay', async () => {
    await open('/runs', { scheme: 'light' });
    await rows().first().waitFor();
    const scheme = (): Promise<string | null> =>
      page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme'));
    expect(await scheme()).toBe('light');
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await page.locator('[data-mantine-color-scheme="dark"]').first().waitFor();
    await page.reload();
    expect(await scheme()).toBe('dark');
    await rows().first().waitFor();
  });
});

describe('on a phone', () => {
  it('the menu opens, leads on and closes', async () => {
    await open('/runs', { width: 360, height: 740 });
    await rows().first().waitFor();
    await button('Menu').click();
    await page.getByRole('link', { name: /Inbox/ }).click();
    await page.waitForURL(`${address}/inbox`);
    await page.locator('[data-question="812"]').waitFor();
    await page.getByRole('link', { name: /Doubts/ }).waitFor({ state: 'hidden' });
  });
});
