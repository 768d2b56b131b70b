import { routes, type AnswerView, type AskedOf, type BulkAnswerView } from '@holdfast/api';
import { tenantHome } from '@holdfast/events';
import type { Submission } from '@holdfast/sdk';
import { Controller, Inject } from '@nestjs/common';
import { readQuestionOf } from '../../store/read-steps.js';
import { mustNotHaveSubmitted } from '../auth/four-eyes.js';
import { askAll, askFor, said, type Asker } from '../asking.js';
import { PARTS, type HttpParts } from '../parts.js';
import { noQuestion } from '../problems.js';
import type { Reply } from '../reply.js';
import { Asked, Serves, Who } from '../serves.js';

type Done = Promise<Reply<AnswerView>>;
type Asking = Omit<Asker, 'body'>;
type Body<R extends keyof typeof routes> = AskedOf<(typeof routes)[R]>;

/** What changes runs. Everything goes over the client into the log; nothing is kept here. */
@Controller()
export class RequestsController {
  constructor(@Inject(PARTS) private readonly parts: HttpParts) {}

  @Serves(routes.submitRun)
  submit(@Asked() { body }: Body<'submitRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, body.runId, (asking) =>
      this.parts.client.submit({ ...said(body), ...asking } as Submission),
    );
  }

  @Serves(routes.cancelRun)
  cancel(@Asked() { params, body }: Body<'cancelRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.cancel(params.runId, { ...said(body), ...asking }),
    );
  }

  @Serves(routes.cancelRuns)
  cancelAll(@Asked() { body }: Body<'cancelRuns'>, @Who() who: Asking): Promise<Reply<BulkAnswerView>> {
    return askAll(this.parts.ids, { body, ...who }, (asking) =>
      this.parts.client.cancelRuns({ ...said(body), ...asking }),
    );
  }

  @Serves(routes.killRun)
  kill(@Asked() { params, body }: Body<'killRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.kill(params.runId, { ...said(body), ...asking }),
    );
  }

  @Serves(routes.pauseRun)
  pause(@Asked() { params, body }: Body<'pauseRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.pause(params.runId, { ...said(body), ...asking }),
    );
  }

  @Serves(routes.resumeRun)
  resume(@Asked() { params, body }: Body<'resumeRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.resume(params.runId, { ...said(body), ...asking }),
    );
  }

  @Serves(routes.steerRun)
  steer(@Asked() { params, body }: Body<'steerRun'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.steer(params.runId, { ...said(body), ...asking }),
    );
  }

  @Serves(routes.answerQuestion)
  async answer(@Asked() { params, body }: Body<'answerQuestion'>, @Who() who: Asking): Done {
    await this.mustBeTwo(params.runId, who.principal);
    return askFor(this.parts.ids, { body, ...who }, params.runId, (asking) =>
      this.parts.client.answer(params.runId, { lookedAt: this.parts.clock.now(), ...said(body), ...asking }),
    );
  }

  /** Coordinators know questions by their numbers: which one the step has asked is in the rows. */
  @Serves(routes.signalStep)
  async signal(@Asked() { params, body }: Body<'signalStep'>, @Who() who: Asking): Done {
    const { runId, stepId } = params;
    await this.mustBeTwo(runId, who.principal);
    const question = await readQuestionOf(this.parts.database, runId, stepId);
    if (question === null) throw noQuestion(runId, stepId);
    const answer = { ...said(body), escalation: question.seq, choice: 'answer', lookedAt: this.parts.clock.now() };
    return askFor(this.parts.ids, { body, ...who }, runId, (asking) =>
      this.parts.client.answer(runId, { ...answer, ...asking }),
    );
  }

  /** Four eyes, where they are wanted: whoever answers is not who submitted. */
  private async mustBeTwo(runId: string, principal: string): Promise<void> {
    if (this.parts.access.fourEyes) await mustNotHaveSubmitted(this.parts.database, runId, principal);
  }

  @Serves(routes.setTenantBudget)
  setTenantBudget(@Asked() { params, body }: Body<'setTenantBudget'>, @Who() who: Asking): Done {
    return askFor(this.parts.ids, { body, ...who }, tenantHome(params.tenant), (asking) =>
      this.parts.client.setTenantBudget(params.tenant, { ...said(body), ...asking }),
    );
  }
}
