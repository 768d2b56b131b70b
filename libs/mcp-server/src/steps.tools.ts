import { routes, stepStatuses, type StepView } from '@holdfast/api';
import { z } from 'zod';
import { given } from './ask.js';
import { clip, partOf, partSchema } from './bounds.js';
import { cursor, runId } from './runs.tools.js';
import { tool } from './tool.js';

const stepSchema = z.object({
  stepId: z.string(),
  tool: z.string(),
  policy: z.string(),
  status: z.enum(stepStatuses).describe('`doubtful`: nobody knows yet whether its effect was made'),
  attempts: z.int(),
  tries: z.int(),
  scheduledAt: z.int(),
  endedAt: z.int().nullable(),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const viewOf = (step: StepView, messageMax: number): z.infer<typeof stepSchema> => {
  const { args: _args, result: _result, failure, ...rest } = step;
  const said = failure === null ? null : { code: clip(failure.code, 100), message: clip(failure.message, messageMax) };
  return { ...rest, failure: said };
};

export const listSteps = tool({
  name: 'list_steps',
  title: 'List the steps of a run',
  description:
    'Shows the steps of a run in the order in which they were scheduled, page by page. For a long run ask for what ' +
    'matters: `status` failed, doubtful or open. get_step shows arguments and result of one.',
  route: routes.listSteps,
  input: z.strictObject({
    runId,
    status: z.array(z.enum(stepStatuses)).optional().describe('one of these'),
    text: z.string().max(200).optional().describe('part of the id of a step or of its tool'),
    limit: z.int().min(1).max(40).default(20),
    cursor,
  }),
  output: z.object({ steps: z.array(stepSchema), next: z.string().nullable() }),
  run: async (ask, { runId: id, ...filters }) => {
    const { items, next } = await ask(routes.listSteps, { params: { runId: id }, query: given(filters) });
    return { steps: items.map((step) => viewOf(step, 200)), next };
  },
});

export const stepId = routes.getStep.params.shape.stepId.describe(
  'the id of a step, such as `charge` or `file[17].read`',
);

export const getStep = tool({
  name: 'get_step',
  title: 'Look at a step',
  description: 'Shows one step of a run with what its tool was called with and what it returned.',
  route: routes.getStep,
  input: z.strictObject({ runId, stepId }),
  output: stepSchema.extend({ args: partSchema.optional(), result: partSchema.optional() }),
  run: async (ask, { runId: id, stepId: step }) => {
    const found = await ask(routes.getStep, { params: { runId: id, stepId: step } });
    const part = (name: 'args' | 'result') =>
      found[name] === undefined ? {} : { [name]: partOf(found[name], 12_000, { part: name, runId: id, stepId: step }) };
    return { ...viewOf(found, 8_000), ...part('args'), ...part('result') };
  },
});
