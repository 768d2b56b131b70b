import { shoot, violations } from './support/browser.js';
import { RUN, inABrowser, open, page, rows } from './support/in-a-browser.js';

inABrowser();

describe('five thousand steps', () => {
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

  it('are scrolled through to the last one with few nodes', async () => {
    await open(`${RUN}/steps`);
    await rows().first().waitFor();
    let most = 0;
    for (let turn = 0; turn < 200 && (await page.getByText('5,000 steps, that is all').count()) === 0; turn += 1) {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      await page.waitForTimeout(60);
      most = Math.max(most, await nodes());
    }
    await page.getByText('5,000 steps, that is all').waitFor();
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.getByText('document[2499].file').waitFor();
    expect(most).toBeLessThan(2_500);
    const frame = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let last = performance.now();
          let longest = 0;
          let frames = 0;
          const next = (): void => {
            const now = performance.now();
            longest = Math.max(longest, now - last);
            last = now;
            frames += 1;
            if (frames > 40) return resolve(longest);
            window.scrollBy(0, -900);
            requestAnimationFrame(next);
          };
          requestAnimationFrame(next);
        }),
    );
    expect(frame).toBeLessThan(500);
  });

  it('are drawn as a timeline on one canvas', async () => {
    await open(`${RUN}/timeline`);
    await page.getByText('5,000 attempts in').waitFor();
    expect(await nodes()).toBeLessThan(1_500);
    const canvas = page.locator('canvas');
    const tip = page.getByText(/^waited/);
    let x = 60;
    for (; x < 200 && (await tip.count()) === 0; x += 3) await canvas.hover({ position: { x, y: 120 } });
    await shoot(page, 'timeline-pointed');
    await canvas.click({ position: { x: x - 3, y: 120 } });
    await page.getByRole('dialog').getByText('What happened').waitFor();
  });

  it('are found by name and by status', async () => {
    await open(`${RUN}/steps`);
    await page.getByRole('searchbox').fill('document[1666]');
    await page.getByText('2 steps, that is all').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox', { name: 'Status of steps' }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await page.getByText('4 steps, that is all').waitFor();
  });
});

describe('the history', () => {
  it('shows the record as it stands in the log', async () => {
    await open(`${RUN}/history`);
    await rows().getByRole('button').first().click();
    await page.getByText(/Offset \d+ in its lane/).waitFor();
    await page.getByText('"argsHash"').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('is travelled event by event, with the keyboard too', async () => {
    await open(`${RUN}/time-travel?at=34023`);
    await page.getByText('34023 · ').waitFor();
    await page
      .getByText('"after": 34023')
      .or(page.locator('[aria-label="State"]', { hasText: '34023' }))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Next event' }).click();
    await page.getByText('34026 · ').waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('34023 · ').waitFor();
    await page.getByRole('button', { name: 'First event' }).click();
    await page.getByText('34011 · RunAccepted').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('34011');
  });
});
