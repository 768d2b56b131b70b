import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { columnName, type RowOf, type Table } from './column.js';
import * as defined from './tables.js';

/** The entity of a table: everything is said in `tables.ts`, and nothing a second time. */
const entity = <T extends Table>({ name, key, columns }: T): EntitySchema<RowOf<T>> =>
  new EntitySchema<RowOf<T>>({
    name,
    tableName: name,
    columns: Object.fromEntries(
      Object.entries(columns).map(([property, { type, nullable }]): [string, EntitySchemaColumnOptions] => [
        property,
        { name: columnName(property), type, nullable, primary: key.includes(property) },
      ]),
    ) as never,
  });

export const EventEntity = entity(defined.events);
export const RunEntity = entity(defined.runs);
export const StepEntity = entity(defined.steps);
export const AttemptEntity = entity(defined.attempts);
export const DoubtEntity = entity(defined.doubts);
export const QuestionEntity = entity(defined.questions);
export const BudgetEntity = entity(defined.budgets);
export const LaneEntity = entity(defined.lanes);
export const ExecutorEntity = entity(defined.executors);
export const MemberEntity = entity(defined.members);
export const DeadLetterEntity = entity(defined.deadLetters);
export const ResendEntity = entity(defined.resends);
export const ProjectionEntity = entity(defined.projections);
export const ApiTokenEntity = entity(defined.apiTokens);

export const entities = [
  EventEntity,
  RunEntity,
  StepEntity,
  AttemptEntity,
  DoubtEntity,
  QuestionEntity,
  BudgetEntity,
  LaneEntity,
  ExecutorEntity,
  MemberEntity,
  DeadLetterEntity,
  ResendEntity,
  ProjectionEntity,
  ApiTokenEntity,
];
