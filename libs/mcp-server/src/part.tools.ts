import { routes, type QuestionView } from '@holdfast/api';
import { runIdSchema } from '@holdfast/events';
import { z } from 'zod';
import { AskFailed, type Ask } from './ask.js';
import { CHUNK, cut, PARTS, partRefSchema } from './bounds.js';
import { stepId } from './steps.tools.js';
import { tool } from './tool.js';

const inputSchema = z.strictObject({
  part: z.enum(PARTS).describe('what is read'),
  runId: runIdSchema.optional().describe('for all parts but schemas of tools'),
  stepId: stepId.optional().describe('for `args` and `result`'),
  escalation: partRefSchema.shape.escalation.describe('for `escalation`: its number'),
  tool: partRefSchema.shape.tool.describe('for `inputSchema` and `outputSchema`: `name@version`'),
  offset: z.int().nonnegative().default(0).describe('the character to begin with: `nextOffset` of the piece before'),
});
type Named = z.output<typeof inputSchema>;

export const readPart = tool({
  name: 'read_part',
  title: 'Read a large part piece by piece',
  description:
    'Reads what another tool has shown as `omitted`, as the JSON text that it is. Call it with `readPartWith` as it ' +
    'stands, then again with `nextOffset` until that is null.',
  route: routes.getRun,
  input: inputSchema,
  output: z.object({ text: z.string(), characters: z.int(), nextOffset: z.int().nullable() }),
  run: async (ask, named) => {
    const text = JSON.stringify((await read(ask, named)) ?? null);
    if (named.offset > text.length) {
      throw wrong('offset', `is beyond the end: the part has ${text.length} characters`);
    }
    const piece = cut(text, named.offset, CHUNK);
    const end = named.offset + piece.length;
    return { text: piece, characters: text.length, nextOffset: end < text.length ? end : null };
  },
});

const read = async (ask: Ask, named: Named): Promise<unknown> => {
  const { part } = named;
  switch (part) {
    case 'inputSchema':
    case 'outputSchema':
      return (await toolOf(ask, needed(named, 'tool')))[part];
    case 'args':
    case 'result': {
      const params = { runId: needed(named, 'runId'), stepId: needed(named, 'stepId') };
      return (await ask(routes.getStep, { params }))[part];
    }
    case 'escalation':
      return escalationOf(ask, needed(named, 'runId'), needed(named, 'escalation'));
    default:
      return (await ask(routes.getRun, { params: { runId: needed(named, 'runId') } }))[part];
  }
};

const needed = <K extends 'runId' | 'stepId' | 'escalation' | 'tool'>(named: Named, name: K): NonNullable<Named[K]> => {
  const value = named[name];
  if (value === undefined) throw wrong(name, `must be given for the part ${named.part}`);
  return value as NonNullable<Named[K]>;
};

const toolOf = async (ask: Ask, ref: string) => {
  const { items } = await ask(routes.listTools, { query: { tool: ref } });
  const [found] = items;
  if (found === undefined) throw new AskFailed({ code: 'unknown_tool', detail: `There is no tool ${ref}.` });
  return found;
};

const PAGE = 200;

const escalationOf = async (ask: Ask, run: string, escalation: number): Promise<QuestionView> => {
  let from = {};
  for (let isLast = false; !isLast;) {
    const { items, next } = await ask(routes.listQuestions, { query: { run, limit: PAGE, ...from } });
    const found = items.find(({ seq }) => seq === escalation);
    if (found !== undefined) return found;
    isLast = next === null;
    from = { cursor: next };
  }
  throw new AskFailed({ code: 'unknown_escalation', detail: `Run ${run} has no escalation ${escalation}.` });
};

const wrong = (at: string, message: string): AskFailed =>
  new AskFailed({ code: 'invalid_input', detail: `${at} ${message}.` });
