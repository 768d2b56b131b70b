import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { routes } from '@holdfast/api';
import { dataDir, eventually, repositoryRoot, spawnService, startKafka } from '@holdfast/dev';
import type { KafkaCluster, Service } from '@holdfast/dev';
import type { Browser, Page } from 'playwright-core';
import { errorsOf, openBrowser, openPage, shoot, violations } from './support/browser.js';
import { watchPhases, type Seen } from './support/phases.js';
import { pidsOf } from './support/services.js';

const NAMESPACE = `mission-${randomBytes(4).toString('hex')}`;
const LONG_MS = 120_000;

let kafka: KafkaCluster;
let mission: Service;
let browser: Browser;
let page: Page;
let address: string;
const said: string[] = [];

/**
 * The mission as `npm start -- --keep` runs it, with the console over it: 2,400 steps, its worker killed with SIGKILL at
 * step 1,200. It stays when it is over.
 */
const startMission = (folder: string): Promise<Service> =>
  spawnService({
    name: 'mission',
    command: process.execPath,
    args: [
      join(repositoryRoot, 'examples', 'documents', 'dist', 'main.js'),
      '--count=800',
      '--kill=worker',
      '--kill-at=1200',
      '--keep',
      `--report=${join(folder, 'report.json')}`,
      `--ledger=${join(folder, 'ledger.jsonl')}`,
    ],
    env: { KAFKA_BROKERS: kafka.brokers.join(','), HOLDFAST_NAMESPACE: NAMESPACE },
    onLine: (line) => void said.push(line),
  });

beforeAll(async () => {
  [kafka, browser] = await Promise.all([startKafka(), openBrowser()]);
  page = await openPage(browser);
  page.setDefaultTimeout(LONG_MS);
  mission = await startMission(dataDir('console'));
  address = await eventually(
    'the mission says where its console is',
    () => said.map((line) => /To watch it: (http\S+)/.exec(line)?.[1]).find((found) => found !== undefined),
    LONG_MS,
  );
  await page.goto(`${address}/runs`);
});
afterAll(async () => {
  await browser?.close();
  mission?.kill('SIGTERM');
  await mission?.exited;
  await kafka?.stop();
});
afterEach(() => {
  expect(errorsOf(page)).toEqual([]);
});

const submit = async (runId: string, program: unknown, input: unknown): Promise<void> => {
  const response = await fetch(`${address}${routes.submitRun.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-holdfast-principal': 'ann' },
    body: JSON.stringify({ runId, program, input, waitMs: 20_000 }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
};

describe('the mission, as the page shows it', () => {
  let seen: () => Promise<readonly Seen[]>;
  let reconcilers: readonly number[];
  const died = () => page.locator('[data-doubt][data-cause="session_ended"]:not([data-phase="settled"])');

  it('comes into the list by itself', async () => {
    const row = page.locator('main [data-row]').first();
    await row.waitFor();
    await shoot(page, 'mission-listed');
    await row.click();
    await page.getByText('What is going on').waitFor();
    await page.locator('[data-connection="live"]').waitFor();
    seen = await watchPhases(page);
    reconcilers = pidsOf('reconciler', NAMESPACE);
    expect(reconcilers).toHaveLength(1);
  });

  it('shows doubts when the worker is killed, with what is left until somebody is asked', async () => {
    // While nobody asks about them they stay, and can be looked at.
    for (const pid of reconcilers) process.kill(pid, 'SIGSTOP');
    await died().first().waitFor();
    await page.getByText('Nothing can land any more. A person is asked in').first().waitFor();
    await page.locator('header').getByText('recovering', { exact: true }).waitFor();
    await shoot(page, 'mission-doubts');
    expect(await violations(page)).toEqual([]);
  });

  it('shows how each of them is settled, with its evidence, live', async () => {
    for (const pid of reconcilers) process.kill(pid, 'SIGCONT');
    await page.locator('[data-doubt][data-phase="settled"][data-cause="session_ended"]').first().waitFor();
    await page
      .locator('[data-cause="session_ended"]:not([data-phase="settled"])')
      .first()
      .waitFor({ state: 'detached' });
    await shoot(page, 'mission-settled');
    const ways = (await seen()).filter(({ cause }) => cause === 'session_ended');
    expect(ways.length).toBeGreaterThan(0);
    const settled = ways.filter(({ phases }) => phases.at(-1) === 'settled' && phases.length > 1);
    expect(settled.length).toBeGreaterThan(0);
    for (const evidence of await page.locator('[data-phase="settled"] [data-evidence]').allInnerTexts()) {
      expect(evidence).not.toContain('none yet');
    }
  });

  it('ends, with every filing in the ledger of effects', async () => {
    await page.locator('header').getByText('succeeded', { exact: true }).waitFor();
    await page.getByText('2,400 succeeded').waitFor();
    await shoot(page, 'mission-ended');
    await page.keyboard.press('4');
    await page.locator('main [role="row"] >> text=applied').first().waitFor();
    await shoot(page, 'mission-effects');
    await page.keyboard.press('2');
    await page.getByText(/2,4\d\d attempts in/).waitFor();
    await shoot(page, 'mission-timeline');
  });

  it('is travelled back to the moment of the doubt', async () => {
    await page.keyboard.press('7');
    await page.getByRole('combobox', { name: 'Types of events' }).fill('DoubtOpened');
    await page.keyboard.press('Enter');
    await page.locator('main [role="row"] >> text=DoubtOpened').first().waitFor();
    await shoot(page, 'mission-history');
    const seq = await page.locator('main [role="row"] [data-row] .mono').first().innerText();
    await page.goto(page.url().replace('/history', `/time-travel?at=${/\d+/.exec(seq)?.[0] ?? ''}`));
    await page.locator('[aria-label="State"]', { hasText: 'doubt' }).waitFor();
    await page.getByRole('button', { name: 'Event before' }).click();
    await page.getByRole('button', { name: 'Next event' }).click();
    await shoot(page, 'mission-time-travel');
  });

  it('has executors and lanes behind it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByText('alive').first().waitFor();
    await shoot(page, 'mission-executors');
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.locator('main [role="table"] [role="row"]').nth(12).waitFor();
    await shoot(page, 'mission-lanes');
    expect(await violations(page)).toEqual([]);
  });
});

describe('a person at the page', () => {
  const card = (text: string) => page.locator('[data-question]', { hasText: text });

  it('answers a question, and the run goes on', async () => {
    await page.goto(`${address}/inbox`);
    await page.getByText('Nobody is waiting for an answer').waitFor();
    const program = {
      kind: 'plan',
      steps: [{ id: 'release', ask: { question: 'Release 2.4.0?', choices: ['now', 'tomorrow'] } }],
      output: { $from: 'steps.release' },
    };
    await submit('release-1', program, {});
    await card('Release 2.4.0?').waitFor();
    await shoot(page, 'inbox-question');
    await card('Release 2.4.0?').getByLabel('tomorrow').check();
    await card('Release 2.4.0?').getByRole('button', { name: 'Send: tomorrow' }).click();
    await page.getByText('Nobody is waiting for an answer').waitFor();
    await page.goto(`${address}/runs/release-1`);
    await page.locator('header').getByText('succeeded', { exact: true }).waitFor();
    await page.locator('[aria-label="Output"]', { hasText: 'tomorrow' }).first().waitFor();
    await shoot(page, 'run-answered');
  });

  it('approves exactly the call that is shown, and it is made', async () => {
    await page.goto(`${address}/inbox`);
    const program = {
      kind: 'plan',
      approvals: [{ tool: 'summarise' }],
      steps: [{ id: 'sum', tool: 'summarise@1', args: { text: 'Two words. More words.' } }],
    };
    await submit('approved-1', program, {});
    await card('May step sum call').waitFor();
    await card('May step sum call').getByText('Exactly this call, once').waitFor();
    await shoot(page, 'inbox-approval');
    expect(await violations(page)).toEqual([]);
    await card('May step sum call').getByLabel('Approve this call').check();
    await card('May step sum call').getByRole('button', { name: 'Send: Approve this call' }).click();
    await page.getByText('Nobody is waiting for an answer').waitFor();
    await page.goto(`${address}/runs/approved-1`);
    await page.locator('header').getByText('succeeded', { exact: true }).waitFor();
  });

  it('pauses, resumes, cancels and forks a run that waits, and kills the fork', async () => {
    const program = { kind: 'plan', steps: [{ id: 'wait', ask: { question: 'Go on?', choices: ['yes'] } }] };
    await submit('waits-1', program, {});
    await page.goto(`${address}/runs/waits-1`);
    const act = async (name: string, confirm: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await act('Pause', 'Pause it');
    await act('Resume', 'Resume it');
    await act('Cancel', 'Cancel the run');
    await page.locator('header').getByText('cancelled', { exact: true }).waitFor();
    await shoot(page, 'run-cancelled');
    await page.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.getByRole('dialog').getByText('0 results taken over').waitFor();
    await shoot(page, 'run-fork');
    await page.getByRole('dialog').getByRole('button', { name: 'Begin the new run' }).click();
    await page.waitForURL(/waits-1-fork/);
    await page.getByText('What is going on').waitFor();
    await act('Kill', 'Kill it now');
    await page.locator('header').getByText('cancelled', { exact: true }).waitFor();
  });
});
