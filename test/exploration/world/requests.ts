import type { Plan } from '@holdfast/programs';
import type { Work } from '../../../apps/coordinator/src/lane/lane.types.js';
import { asked } from '../../support/lane-harness.js';
import { request } from '../../support/messages.js';
import { RUN } from './fold.js';

export const submitRequest = (program: Plan): Work =>
  asked(request('SubmitRun', { requestId: 'submit', runId: RUN, program, input: {} }));

export const cancelRequest: Work = asked(request('CancelRun', { requestId: 'cancel', runId: RUN }));
