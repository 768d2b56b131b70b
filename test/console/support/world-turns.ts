import type { TurnView } from '@holdfast/api';

const usage = { tokensIn: 1_200, tokensOut: 80 };
const base = { agent: 'review', text: '', calls: [], answer: null, problem: null, usage };

/** An agent that reads, makes a mistake, waits for a doubt, and answers. */
export const turns = (now: number): readonly TurnView[] => [
  {
    ...base,
    turn: 0,
    text: 'I look at the deed first.',
    did: 'called',
    calls: [
      {
        name: 'read_text_file',
        arguments: '{"path":"archive/deed.txt"}',
        stepId: 'review[0].read_text_file-0',
        became: 'succeeded',
        said: { content: [{ type: 'text', text: 'DEED OF 1874' }] },
      },
      { name: 'find', arguments: '{}', stepId: null, became: 'refused', said: 'There is no tool find.' },
    ],
    context: { turns: 0, leftOut: 0, summed: false },
    seq: 34_100,
    at: now - 9_000,
  },
  {
    ...base,
    turn: 1,
    did: 'called',
    calls: [
      {
        name: 'file_finding',
        arguments: '{"document":"deed.txt","severity":"high"}',
        stepId: 'review[1].file_finding-0',
        became: 'in_doubt',
        said: null,
      },
      { name: 'file_finding', arguments: '{}', stepId: 'review[1].file_finding-1', became: 'failed', said: 'no room' },
    ],
    context: { turns: 1, leftOut: 3, summed: true },
    seq: 34_110,
    at: now - 6_000,
  },
  {
    ...base,
    turn: 2,
    text: '{"findings":1}',
    did: 'answered',
    answer: { findings: 1 },
    context: { turns: 2, leftOut: 3, summed: true },
    seq: 34_120,
    at: now - 3_000,
  },
  {
    ...base,
    agent: 'translate',
    turn: 0,
    did: 'failed',
    problem: 'the model refuses: I will not. (model_refused)',
    context: { turns: 0, leftOut: 0, summed: false },
    seq: 34_130,
    at: now - 2_000,
  },
];
