import { runIdSchema, tenantSchema } from '@holdfast/events';
import { z } from 'zod';

export const stepIdSchema = z.string().min(1).max(500);
export const ofRun = z.strictObject({ runId: runIdSchema });
export const ofStep = ofRun.extend({ stepId: stepIdSchema });
export const ofTenant = z.strictObject({ tenant: tenantSchema });
const offset = z.coerce.number().int().nonnegative();
export const ofDeadLetter = z.strictObject({ partition: offset, offset });
