import type { Choice } from '@holdfast/events';
import type { Json } from '@holdfast/programs';
import type { Client, EscalationAnswer } from '@holdfast/sdk';
import type { Asks } from './asks.js';
import type { Question, TrackedRun } from './tracked-run.js';
import type { Witness } from './witness.js';

type Decision = { readonly choice: Choice; readonly note: string; readonly result?: Json };

const ANSWER_MS = 20_000;

/** Answers what only a person can decide, truthfully: after a look at what became of the effect. */
export class Person {
  constructor(
    private readonly client: Client,
    private readonly witness: Witness,
    private readonly asks: Asks,
  ) {}

  /** What looked too early is looked at again. */
  asked(run: TrackedRun, question: Question): void {
    this.asks.begin({
      run,
      request: () => this.answer(run, question),
      refused: ({ reply }) => reply.code !== 'too_early',
    });
  }

  private async answer(run: TrackedRun, question: Question): Promise<void> {
    const lookedAt = Date.now();
    const { choice, note, result } = await this.decide(run, question);
    const said = { escalation: question.seq, choice, note, lookedAt, principal: 'chaos', answerWithinMs: ANSWER_MS };
    await this.client.answer(run.runId, result === undefined ? said : { ...said, result: asGiven(result) });
    if (choice === 'fail') run.givenUp = true;
  }

  private async decide(run: TrackedRun, { stepId, kind, choices }: Question): Promise<Decision> {
    if (kind === 'conflict') return { choice: 'acknowledge', note: 'noted' };
    if (kind !== 'doubt') return { choice: 'retry', note: 'its workers were killed on purpose' };
    const step = run.steps.get(stepId);
    const count = step === undefined ? undefined : (await this.witness.count([step])).get(step.key);
    const times = count?.times ?? null;
    if (times === null) return { choice: 'fail', note: 'nobody can tell what became of it' };
    if (times === 0) return { choice: 'absent', note: 'it is not there' };
    const found = { choice: 'applied', note: 'it is there' } as const;
    if (count?.result !== undefined) return { ...found, result: count.result };
    return choices.includes('applied')
      ? found
      : { choice: 'fail', note: 'it is there, and what it returned is not known' };
  }
}

type Given = NonNullable<EscalationAnswer['result']>;
// JSON that was just read belongs to nobody else.
const asGiven = (result: Json): Given => result as Given;
