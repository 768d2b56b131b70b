import { DEFAULTS, limitsOf, runEvent, type RunEvent } from '@holdfast/events';
import { EVENTS_PER_RUN, hash, runStory, scheduled, succeeded, tools } from '../project/run-story.js';

/** The events of one batch, with lane time. */
export type Told = { readonly runId: string; readonly events: readonly RunEvent[]; readonly at: number };

export type Story = 'missions' | 'small';
export const stories: Readonly<Record<Story, (until: number, events: number) => Generator<Told>>> = {
  missions,
  small,
};

const DOCUMENTS = 2_000;
/** Documents that are told of in one batch. */
const TOGETHER = 4;
const DOCUMENT_MS = 100;

/** One run over 2,000 documents after the other, three steps each; the last one is under way. */
function* missions(until: number, events: number): Generator<Told> {
  const perDocument = 7;
  let at = until - Math.ceil(events / perDocument) * DOCUMENT_MS;
  for (let mission = 0; ; mission += 1) {
    const runId = `mission-${String(mission).padStart(4, '0')}`;
    yield { runId, events: [begun(runId, at)], at };
    for (let first = 0; first < DOCUMENTS; first += TOGETHER) {
      const indexes = Array.from({ length: TOGETHER }, (_, index) => first + index);
      yield { runId, events: indexes.flatMap((index) => document(index, at)), at };
      at += TOGETHER * DOCUMENT_MS;
    }
    yield { runId, events: [runStory(runId, at).at(-1) as RunEvent], at };
  }
}

const begun = (runId: string, at: number): RunEvent =>
  runEvent('RunAccepted', {
    runId,
    requestId: `submit-${runId}`,
    requestHash: hash,
    principal: 'bench',
    labels: { team: 'bench' },
    runKey: runId.padEnd(16, '0').slice(0, 16),
    program: {
      kind: 'plan',
      steps: [
        {
          id: 'doc',
          forEach: { $from: 'input.names' },
          window: 32,
          steps: [
            { id: 'read', tool: 'read@1', args: { name: { $from: 'item' } } },
            { id: 'file', tool: 'file@1', args: { text: { $from: 'steps.read.text' } } },
            { id: 'sum', tool: 'sum@1', after: ['file'] },
          ],
        },
      ],
    },
    input: { names: Array.from({ length: DOCUMENTS }, (_, index) => `document ${index}`) },
    tools,
    acceptedAt: at,
    deadlineAt: at + DEFAULTS.runMs,
    limits: limitsOf(),
  });

const document = (index: number, at: number): readonly RunEvent[] => {
  const path = (step: string): string => `doc[${index}].${step}`;
  const held = { attempt: 0, session: 'session-1', deadline: at + 10_000, claimOffset: 1 };
  return [
    scheduled('read', at, path('read')),
    succeeded(path('read'), { text: `what is written in document ${index}`, words: 1_200 }),
    scheduled('file', at, path('file')),
    runEvent('AttemptHeld', { ...held, stepId: path('file') }),
    succeeded(path('file'), { record: `record of document ${index}` }),
    scheduled('sum', at, path('sum')),
    succeeded(path('sum'), { pages: 12 }),
  ];
};

/** A small run of nine events every half minute: about a hundred thousand records a month. */
const SMALL_MS = 30_000;

/** Small runs, the ended ones of the last 30 days of which are remembered. */
function* small(until: number, events: number): Generator<Told> {
  let at = until - Math.ceil(events / (EVENTS_PER_RUN + 1)) * SMALL_MS;
  for (let run = 0; ; run += 1) {
    const runId = `small-${String(run).padStart(7, '0')}`;
    yield { runId, events: runStory(runId, at), at };
    at += SMALL_MS;
  }
}
