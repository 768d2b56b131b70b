import { eventually } from '@holdfast/dev';
import { violations } from './support/browser.js';
import { BIG } from './support/names.js';
import { emptyWorld, fullWorld } from './support/world.js';
import { RUN, address, button, inABrowser, open, page, rows, server } from './support/in-a-browser.js';

inABrowser();

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
    const again = await alert.getByRole('button', { name: 'Try again' }).elementHandle();
    server.failing = null;
    // A page that asks again by itself may have done so by now, and the button may be gone.
    await again?.evaluate((button) => (button as HTMLElement).click());
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
