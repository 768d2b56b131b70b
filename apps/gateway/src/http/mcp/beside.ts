import { admits, type AnswerOf, type AskedOf, type Route, type routes } from '@holdfast/api';
import { AskFailed, type Ask } from '@holdfast/mcp-server';
import { knownSecrets } from '@holdfast/sdk';
import { checked } from '../asked.js';
import type { Asker } from '../asking.js';
import { forbidden } from '../auth/access-problems.js';
import type { Principal } from '../auth/principal.js';
import { CatalogueController } from '../controllers/catalogue.controller.js';
import { RequestsController } from '../controllers/requests.controller.js';
import { RunsController } from '../controllers/runs.controller.js';
import { StepsController } from '../controllers/steps.controller.js';
import type { HttpParts } from '../parts.js';
import { toldOf } from '../problem.filter.js';
import { Reply } from '../reply.js';

type Routes = typeof routes;
type Who = Omit<Asker, 'body'>;
type Handlers = {
  readonly [R in keyof Routes]?: (asked: AskedOf<Routes[R]>, who: Who) => Promise<object>;
};

/** The handlers of the routes that tools for models stand for: the very ones that answer over HTTP. */
export const handlersBeside = (parts: HttpParts): Handlers => {
  const [runs, steps] = [new RunsController(parts), new StepsController(parts)];
  const [requests, catalogue] = [new RequestsController(parts), new CatalogueController(parts)];
  return {
    listRuns: (asked) => runs.list(asked),
    getRun: (asked) => runs.get(asked),
    explainRun: (asked) => runs.explain(asked),
    listSteps: (asked) => steps.list(asked),
    getStep: (asked) => steps.get(asked),
    listQuestions: (asked) => steps.questions(asked),
    listTools: (asked) => catalogue.list(asked),
    submitRun: (asked, who) => requests.submit(asked, who),
    cancelRun: (asked, who) => requests.cancel(asked, who),
    answerQuestion: (asked, who) => requests.answer(asked, who),
  };
};

type Handler = (asked: unknown, who: Who) => Promise<unknown>;

/** Asks the handlers beside us what somebody may ask: the same role, the same checks, the same answer as over HTTP. */
export const askBeside =
  (handlers: Handlers, principal: Principal, who: Who): Ask =>
  async (route, { params = {}, query = {}, body } = {}) => {
    try {
      if (!admits(principal.roles, route.role)) throw forbidden(principal.id, route.role);
      const asked = checked(route as Route, { params, query, body });
      const answer = await handlerOf(handlers, route)(asked, who);
      return (answer instanceof Reply ? answer.body : answer) as AnswerOf<typeof route>;
    } catch (error) {
      const told = toldOf(error);
      throw told === null ? error : new AskFailed(knownSecrets.maskJson(told.problem as never));
    }
  };

const handlerOf = (handlers: Handlers, { id }: Route): Handler => {
  const handler = (handlers as Readonly<Record<string, Handler | undefined>>)[id];
  if (handler === undefined) throw new Error(`no tool for models stands for ${id}`);
  return handler;
};
