import type { z } from 'zod';
import type { explanationSchema, ForkPlan, RunDetail } from '@holdfast/api';

export const explanationOf = (run: RunDetail, now: number): z.infer<typeof explanationSchema> => ({
  runId: run.runId,
  at: now,
  seq: run.seq,
  headline:
    run.status === 'recovering'
      ? 'Three filings are in doubt; nothing that changes the world is started before they are settled.'
      : `The run is ${run.status}.`,
  parts: [
    {
      about: 'moving',
      title: 'Why it is not moving',
      lines: [
        'A worker died at 05:12:04 while it made three calls; nobody is left who knows what they did.',
        'The office is asked about two of them; for the third a person is asked (question 812).',
      ],
    },
    {
      about: 'effects',
      title: 'What it has done to the world',
      lines: [
        '1,652 filings are there.',
        '3 filings may be there: document[610].read, document[612].read, document[613].read.',
      ],
    },
    { about: 'cost', title: 'What it has cost', lines: ['1234.5678 EUR of 1250 EUR; 15.4322 EUR are left.'] },
    {
      about: 'cancel',
      title: 'If it is cancelled now',
      lines: ['29 attempts that nobody has begun are closed and never act.', '3 calls under way are told to stop.'],
    },
    { about: 'resume', title: 'If it is resumed now', lines: ['It goes on with document[1234].read.'] },
    { about: 'repeat', title: 'What would be done again', lines: ['Reading of 2 documents, which changes nothing.'] },
  ],
});

export const forkPlanOf = (from: string | null): ForkPlan => ({
  from,
  kept: ['document[0].read', 'document[0].file'],
  keptTotal: 1_220,
  again: [
    {
      stepId: 'document[610].read',
      tool: 'read-document@1',
      policy: 'repeatable',
      effect: 'none',
      repeat: 'free',
      why: 'reading changes nothing',
    },
    {
      stepId: 'document[610].file',
      tool: 'file-document@1',
      policy: 'verifiable',
      effect: 'applied',
      repeat: 'ask',
      why: 'the old run has filed this document; a new key would file it twice',
    },
  ],
  againTotal: 3_780,
  refused: from?.startsWith('nothing') === true ? `there is no step ${from}` : null,
});
