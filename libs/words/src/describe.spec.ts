import { laneEventSchema, runEventSchema } from '@holdfast/events';
import { describeEvent, describeReport } from './describe.js';
import { agentSentences } from './sentences/agent.fixture.js';
import { budgetSentences } from './sentences/budget.fixture.js';
import { childSentences } from './sentences/child.fixture.js';
import { doubtSentences } from './sentences/doubt.fixture.js';
import { escalationSentences } from './sentences/escalation.fixture.js';
import { keySentences } from './sentences/key.fixture.js';
import { laneSentences } from './sentences/lane.fixture.js';
import { runSentences } from './sentences/run.fixture.js';
import { steeringSentences } from './sentences/steering.fixture.js';
import { stepSentences } from './sentences/step.fixture.js';
import { tenantSentences } from './sentences/tenant.fixture.js';
import { undoSentences } from './sentences/undo.fixture.js';
import { report, type Sentence } from './sentences/sentence.fixture.js';

const said: readonly Sentence[] = [
  ...agentSentences,
  ...budgetSentences,
  ...childSentences,
  ...doubtSentences,
  ...escalationSentences,
  ...keySentences,
  ...laneSentences,
  ...runSentences,
  ...steeringSentences,
  ...stepSentences,
  ...tenantSentences,
  ...undoSentences,
];

describe('telling history in words', () => {
  it.each(said.map(([event, words]) => [event.type, event, words] as const))(
    'has a sentence for %s',
    (_, event, words) => expect(describeEvent(event)).toBe(words),
  );

  it('has one for every type of event', () => {
    const types = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => shape.type.value);
    expect(said.map(([event]) => event.type).toSorted()).toEqual(types.toSorted());
  });

  it('names the first few of many uncertain effects', () => {
    const many = Array.from({ length: 7 }, (_, index) => ({ stepId: `s${index}`, attempt: 0, tool: 't@1' }));
    expect(describeReport({ ...report, absent: many, totals: { ...report.totals, absent: 7 } })).toContain(
      '7 found absent (s0/0, s1/0, s2/0, s3/0, s4/0, …)',
    );
  });
});
