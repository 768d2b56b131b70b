import { eventually } from '@holdfast/dev';
import { shoot, violations } from './support/browser.js';
import { BIG } from './support/names.js';
import { RUN, button, inABrowser, open, page, posted, rows, server } from './support/in-a-browser.js';

inABrowser();

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
