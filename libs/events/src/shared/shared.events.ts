import { z } from 'zod';
import { tenantEventSchemas } from '../budget/tenant.events.js';
import { runIdSchema } from '../ids.js';
import { parentSchema } from '../run/child.events.js';
import { fact } from '../run/fact.js';
import { keySharedEventSchemas } from './key.events.js';
import { bulkCancelEventSchemas } from './bulk-cancel.events.js';

const at = z.int().nonnegative();

/** Facts about what a lane holds beside its runs. Within a version only optional fields may be added. */
export const sharedEventSchemas = [
  z.object({
    type: z.literal('CancelRemembered'),
    version: z.literal(1),
    data: z.object({
      runId: runIdSchema,
      requestId: z.string(),
      principal: z.string().nullable(),
      reason: z.string(),
      withinMs: z.int().nonnegative(),
      mode: z.enum(['abort', 'drain']),
      /** Until when a run of that id is cancelled as it begins, epoch ms. */
      until: at,
      /** When it is over at the latest, epoch ms, where that was said and not only how long it may take. */
      deadlineAt: at.optional(),
      /** Only the child with this ticket is meant. */
      child: z.string().optional(),
      compensate: z.boolean().optional(),
    }),
  }),
  z.object({
    type: z.literal('CancelForgotten'),
    version: z.literal(1),
    data: z.object({
      runId: runIdSchema,
      requestId: z.string(),
      /** No such run came in time, or it came and was cancelled. */
      cause: z.enum(['expired', 'used']),
      child: z.string().optional(),
    }),
  }),
  ...keySharedEventSchemas,
  ...bulkCancelEventSchemas,
  /** A run that another one has begun was refused, and that one is told. */
  fact('ChildRefused', { runId: runIdSchema, parent: parentSchema, code: z.string(), message: z.string() }),
  ...tenantEventSchemas,
] as const;

export const sharedEventSchema = z.discriminatedUnion('type', [...sharedEventSchemas]);
export type SharedEvent = z.infer<typeof sharedEventSchema>;
export type SharedEventType = SharedEvent['type'];
export type SharedEventOf<T extends SharedEventType> = Extract<SharedEvent, { type: T }>;
export type SharedEventData<T extends SharedEventType> = SharedEventOf<T>['data'];

const types: ReadonlySet<string> = new Set(sharedEventSchemas.map((schema) => schema.shape.type.value));

/** Whether an event is about what a lane holds beside its runs. */
export const isSharedEvent = (event: { readonly type: string }): event is SharedEvent => types.has(event.type);

/** Builds an event of version 1. */
export const sharedEvent = <T extends SharedEventType>(type: T, data: SharedEventData<T>): SharedEventOf<T> =>
  ({ type, version: 1, data }) as unknown as SharedEventOf<T>;
