import type { HistoryRecord, RunEvent } from '@holdfast/events';
import { accepted, happened, scheduled } from '../../../../test/support/run-events.js';
import { factLines } from './fact-lines.js';

const trace = { id: 'a'.repeat(32), sampled: true };
const lines = (events: readonly RunEvent[], everything: boolean) =>
  factLines(
    {
      records: events.map((event) => ({ subject: 'run-1', event }) as unknown as HistoryRecord),
      before: () => undefined,
    },
    3,
    everything,
  );

describe('lines about what has become history', () => {
  const batch = [
    accepted('verifiable', undefined, { trace, input: { secret: 'p1' } }),
    scheduled('verifiable'),
    happened('StepSucceeded', { result: 'p2' }),
    happened('DoubtOpened'),
  ];

  it('say what they are about, by the same names', () => {
    expect(lines(batch, true).map(({ message, about }) => [message, about])).toEqual([
      ['the run is accepted', { runId: 'run-1', lane: 3, traceId: trace.id }],
      ['an attempt is scheduled', { runId: 'run-1', stepId: 'a', attemptId: 'run-1/a/0', lane: 3, traceId: trace.id }],
      ['the step has succeeded', { runId: 'run-1', stepId: 'a', attemptId: 'run-1/a/0', lane: 3, traceId: trace.id }],
      ['the step is in doubt', { runId: 'run-1', stepId: 'a', attemptId: 'run-1/a/0', lane: 3, traceId: trace.id }],
    ]);
  });

  it('hold nothing that a run is about', () => expect(JSON.stringify(lines(batch, true))).not.toMatch(/p[12]/));

  it('tell of the unusual only, where not everything is asked for', () => {
    expect(lines(batch, false).map(({ message }) => message)).toEqual(['the step is in doubt']);
  });
});
