import type { Browser, Locator, Page } from 'playwright-core';
import { eventually } from '@holdfast/dev';
import { errorsOf, openBrowser, openPage, shoot, violations, type Look } from './support/browser.js';
import { FixtureServer } from './support/fixture-server.js';
import { BIG } from './support/names.js';
import { emptyWorld, fullWorld } from './support/world.js';

const server = new FixtureServer();
let address: string;
let browser: Browser;
let page: Page;
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

const RUN = `/runs/${BIG}`;
const open = async (path: string, look: Look = {}): Promise<void> => {
  server.reset();
  page = await openPage(browser, look);
  await page.goto(`${address}${path}`);
};
const rows = (): Locator => page.locator('main [role="row"][aria-rowindex]');
const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
const posted = () =>
  server.written.map(({ path, body: { requestId, ...body }, principal }) => ({
    path,
    body,
    principal,
    named: typeof requestId,
  }));

describe('the list of runs', () => {
  it('is narrowed by what is pressed and typed, and the address holds it', async () => {
    await open('/runs');
    await page
      .getByRole('group', { name: 'Runs by status' })
      .getByRole('button', { name: /paused/ })
      .click();
    await page.getByRole('searchbox').fill('onboarding');
    await page.waitForURL(/status=paused.*text=onboarding|text=onboarding.*status=paused/);
    await page.getByText('1 run, that is all').waitFor();
    await page.reload();
    await page.getByText('1 run, that is all').waitFor();
    await button('Clear filters').click();
    await page.getByText('The first 100 runs').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  it('narrows by labels, and says so where nothing fits', async () => {
    await open('/runs?label=team%3Dnobody');
    await page.getByText('No run fits these filters').waitFor();
  });

  it('goes on by itself to its end, and holds few rows at any time', async () => {
    await open('/runs');
    await rows().first().waitFor();
    for (let turn = 0; turn < 40 && (await page.getByText('320 runs, that is all').count()) === 0; turn += 1) {
      await page.mouse.wheel(0, 4_000);
      await page.waitForTimeout(100);
    }
    await page.getByText('320 runs, that is all').waitFor();
    expect(await rows().count()).toBeLessThan(60);
  });

  it('changes while it is looked at', async () => {
    await open('/runs');
    await page.locator('[data-connection="live"]').waitFor();
    await page.getByRole('button', { name: '2 running' }).waitFor();
    server.world = { ...server.world, counters: { ...server.world.counters, runs: { running: 77 } } };
    server.emit({ runId: BIG, lane: 3, seq: 1, at: Date.now(), type: 'RunAccepted', words: 'The run was accepted' });
    await page.getByRole('button', { name: '77 running' }).waitFor();
  });
});

describe('the states of a page', () => {
  const problem = {
    type: 'about:blank',
    title: 'The database is away',
    status: 503,
    detail: 'Postgres does not answer.',
    code: 'store_unavailable',
    advice: 'Start it; the gateway goes on by itself.',
  };
  const lists = [
    ['/runs', 'There are no runs'],
    ['/inbox', 'Nobody is waiting for an answer'],
    ['/doubts', 'Nothing is in doubt'],
    ['/executors', 'No executor was heard of lately'],
    ['/lanes', 'No lane is known'],
    ['/dead-letters', 'There are no dead letters'],
  ] as const;

  it.each(lists)('%s says that it is empty', async (path, says) => {
    await open('/help');
    server.reset(emptyWorld());
    await page.goto(`${address}${path}`);
    await page.getByText(says).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it.each(lists)('%s shows what went wrong with the advice, and tries again', async (path, says) => {
    await open('/help');
    server.reset(emptyWorld());
    server.failing = { path: /./, problem };
    await page.goto(`${address}${path}`);
    const alert = page.getByRole('alert').first();
    await alert.getByText(problem.detail).waitFor();
    await alert.getByText(problem.advice).waitFor();
    expect(await violations(page)).toEqual([]);
    server.failing = null;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(says).waitFor();
  });

  it.each([...lists.map(([path]) => path), RUN, `${RUN}/steps`, `${RUN}/history`])(
    '%s says that it loads',
    async (path) => {
      await open('/help');
      let go: () => void = () => undefined;
      server.held = new Promise((resolve) => (go = resolve));
      await page.goto(`${address}${path}`);
      await page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor();
      expect(await violations(page)).toEqual([]);
      go();
      server.held = null;
      await page
        .getByRole('status', { name: /^Loading/ })
        .first()
        .waitFor({ state: 'detached' });
    },
  );

  it('says of a run that is not known what to do', async () => {
    await open('/runs/nobody-knows');
    await page.getByText('nothing is known of /v1/runs/nobody-knows').waitFor();
    await page.getByText('runs that are older than the retention are deleted').waitFor();
  });

  it('says why the gateway is not ready', async () => {
    await open('/help');
    server.reset({ ...fullWorld(Date.now()), reasons: ['lane 7 stands still'] });
    await page.goto(`${address}/runs`);
    await page.getByText('The gateway is not ready').waitFor();
    await page.getByText('lane 7 stands still').waitFor();
  });
});

describe('the connection', () => {
  it('is made again after it was cut, goes on after the last event, and is shown', async () => {
    await open('/runs');
    await page.locator('[data-connection="live"]').waitFor();
    server.emit({ runId: BIG, lane: 3, seq: 1, at: Date.now(), type: 'StepScheduled', words: 'a step' });
    await page.waitForTimeout(300);
    server.streams.refusing = true;
    server.streams.cut();
    await page.locator('[data-connection="waiting"]').waitFor();
    await page.getByText(/Offline, again in/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('[data-connection="waiting"]').waitFor();
    const { refused } = server.streams;
    await button('Try now').click();
    await eventually('it is tried at once', () => server.streams.refused > refused, 700);
    server.streams.refusing = false;
    await page.locator('[data-connection="live"]').waitFor();
    expect(server.streams.opened.at(-1)?.lastId).toMatch(/^\d+$/);
  });

  it('is that of the run which is looked at, and shows its newest event', async () => {
    await open(RUN);
    await page.locator('[data-connection="live"]').waitFor();
    expect(server.streams.opened.at(-1)?.path).toBe(`/v1/runs/${BIG}/live`);
    server.emit({
      runId: BIG,
      lane: 3,
      seq: 9,
      at: Date.now(),
      type: 'StepSucceeded',
      words: 'document[9].file is filed',
    });
    await page.locator('[data-last-event]').getByText('document[9].file is filed').waitFor();
  });
});

describe('an answer', () => {
  it('posts exactly what was chosen, under the name of the person', async () => {
    await open('/inbox');
    await page.getByRole('button', { name: /You are nobody/ }).click();
    await page.getByRole('textbox', { name: 'Your name' }).fill('ada');
    await button('Keep').click();
    const card = page.locator('[data-question="815"]');
    await card.getByText('c27be41a90b7ee0c1fd3a5f4b8e9d6720c5f').waitFor();
    await card.getByLabel('Approve this call').check();
    await card.getByLabel('Note').fill('checked with the customer');
    await card.getByRole('button', { name: 'Send: Approve this call' }).click();
    await eventually('it is posted', () => server.written.length > 0);
    expect(posted()).toEqual([
      {
        path: `/v1/runs/${BIG}/answer`,
        body: { escalation: 815, choice: 'approve', note: 'checked with the customer', waitMs: 5_000 },
        principal: 'ada',
        named: 'string',
      },
    ]);
    await card.waitFor({ state: 'detached' });
  });

  it('is filled in a form that follows the schema, and says what is wrong before it is sent', async () => {
    await open('/inbox');
    const card = page.locator('[data-question="640"]');
    await card.getByLabel('Copies at most').fill('12');
    await card.getByLabel('address.city').fill('Wien');
    await card.getByRole('button', { name: 'Send: Answer' }).click();
    await card.getByText('Not above 10').waitFor();
    await card.getByText('This is needed').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(server.written).toEqual([]);
    await card.getByLabel('Copies at most').fill('4');
    await card.getByRole('combobox', { name: 'How' }).click();
    await page.getByRole('option', { name: 'careful' }).click();
    await card
      .getByRole('group', { name: 'Tell the archive' })
      .or(card.getByRole('radiogroup', { name: 'Tell the archive' }))
      .getByText('yes')
      .click();
    await card.getByRole('button', { name: 'Send: Answer' }).click();
    await eventually('it is posted', () => server.written.length > 0);
    expect(posted()).toMatchObject([
      {
        path: '/v1/runs/onboarding-8999/answer',
        body: {
          escalation: 640,
          choice: 'answer',
          value: { limit: 4, mode: 'careful', notify: true, address: { city: 'Wien' } },
        },
      },
    ]);
  });

  it('that is refused is shown with the reason, and can be sent again', async () => {
    await open('/inbox');
    const card = page.locator('[data-question="812"]');
    await card.waitFor();
    server.failing = {
      path: /answer$/,
      problem: {
        type: 'about:blank',
        title: 'Refused',
        status: 409,
        code: 'too_early',
        detail: 'the effect could still land until 05:12',
      },
    };
    await card.getByLabel('It did not happen').check();
    await card.getByRole('button', { name: 'Send: It did not happen' }).click();
    await card.getByText('the effect could still land until 05:12').waitFor();
    server.failing = null;
    await card.getByRole('button', { name: 'Send: It did not happen' }).click();
    await eventually('it is posted', () => server.written.length > 0);
    expect(posted()).toMatchObject([
      { body: { escalation: 812, choice: 'absent', lookedAt: expect.any(Number) as number } },
    ]);
  });
});

describe('what is done to a run', () => {
  it('is said before it is done: cancel', async () => {
    await open(RUN);
    await button('Cancel').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('29 attempts that nobody has begun are closed and never act.').waitFor();
    await shoot(page, 'cancel-dialog');
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Over within').fill('10');
    await dialog.getByLabel(/may finish by themselves/).check();
    await dialog.getByLabel('Reason').fill('wrong folder');
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(posted()).toMatchObject([
      {
        path: `/v1/runs/${BIG}/cancel`,
        body: { mode: 'drain', withinMs: 10_000, reason: 'wrong folder', waitMs: 5_000 },
      },
    ]);
  });

  it.each([
    ['Pause', 'Pause it', 'pause'],
    ['Kill', 'Kill it now', 'kill'],
  ])('%s asks first', async (name, confirm, action) => {
    await open(RUN);
    await button(name).click();
    expect(server.written).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(posted()).toMatchObject([{ path: `/v1/runs/${BIG}/${action}`, body: { waitMs: 5_000 } }]);
  });

  it('can be left as it is, with Escape', async () => {
    await open(RUN);
    await button('Kill').click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(server.written).toEqual([]);
    const kill = button('Kill');
    await eventually('the focus is back', () => kill.evaluate((element) => element === document.activeElement));
  });

  it('steers within bounds that are checked', async () => {
    await open(RUN);
    await button('Steer').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New deadline, from now on').fill('90');
    await dialog.getByLabel('Items at a time in document').fill('4');
    await dialog.getByLabel('Budget, as JSON').fill('{"effects": 2000}');
    await dialog.getByRole('button', { name: 'Set the new bounds' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(posted()).toMatchObject([
      {
        path: `/v1/runs/${BIG}/steer`,
        body: { deadlineMs: 5_400_000, windows: { document: 4 }, limits: { effects: 2_000 } },
      },
    ]);
  });

  it('forks one that is over, only when each repeated effect is allowed by name', async () => {
    const over = 'refund-8978';
    await open(`/runs/${over}/steps?step=document%5B0%5D.file`);
    await button('Fork from this step').click();
    const dialog = page.getByRole('dialog', { name: 'Fork this run' });
    await dialog.getByText('the old run has filed this document').waitFor();
    await shoot(page, 'fork-dialog');
    expect(await violations(page)).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Begin the new run' }).isDisabled()).toBe(true);
    await dialog.getByLabel('document[610].file may make its effect again').check();
    await dialog.getByRole('button', { name: 'Begin the new run' }).click();
    await page.waitForURL(/refund-8978-fork/);
    expect(posted()).toMatchObject([
      {
        path: `/v1/runs/${over}/fork`,
        body: { runId: `${over}-fork`, from: 'document[0].file', repeat: ['document[610].file'] },
      },
    ]);
  });

  it('sends a dead letter again after asking', async () => {
    await open('/dead-letters');
    await rows().getByRole('button').first().click();
    await button('Send again…').click();
    expect(server.written).toEqual([]);
    await button('Send it again now').click();
    await page.getByText('at offset 99').waitFor();
    expect(server.written).toMatchObject([{ path: '/v1/dead-letters/3/1/send-again' }]);
  });
});

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
