import { outerSchema } from '@holdfast/contracts';
import { historyOuterSchema, laneEventSchema, runEventSchema } from '@holdfast/events';
import { z } from 'zod';
import { HISTORY, kinds } from '../examples.js';

/** A type of record: the topic that it is in, and the JSON Schema of its value. */
export type RecordSchema = { readonly topic: string; readonly type: string; readonly schema: object };

/** Draft 7, which AsyncAPI takes as it is. What only code can check is left out. */
const toJson = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });

const titled = (topic: string, type: string, schema: z.ZodType): RecordSchema => ({
  topic,
  type,
  schema: { ...toJson(schema), title: `${type} in ${topic}` },
});

const messages: readonly RecordSchema[] = Object.entries(kinds).flatMap(([topic, { types }]) =>
  Object.entries(types).map(([type, data]) =>
    titled(topic, type, outerSchema.extend({ type: z.literal(type), dataversion: z.literal(1).optional(), data })),
  ),
);

const events: readonly RecordSchema[] = [...runEventSchema.options, ...laneEventSchema.options].map(({ shape }) => {
  const { type, version: dataversion, data } = shape;
  return titled(HISTORY, type.value, historyOuterSchema.extend({ type, dataversion, data }));
});

/** All records of all topics that hold JSON. */
export const recordSchemas: readonly RecordSchema[] = [...messages, ...events].toSorted((a, b) =>
  `${a.topic}/${a.type}` < `${b.topic}/${b.type}` ? -1 : 1,
);

export const schemaFile = ({ topic, type }: RecordSchema): string => `schemas/${topic}/${type}.json`;
