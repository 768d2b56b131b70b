import type { Json, PlanNode } from '../plan.js';
import { isAgent, isCall, isForEach, isRun } from '../outline.js';
import type { Reference } from '../reference.js';
import { follow } from '../resolve.js';
import { isJsonArray } from '../template.js';
import type { Catalogue, JsonSchema } from './catalogue.js';
import type { PlanProblemCode } from './problem.js';
import { ANY, schemaAt, typesOf } from './schema-shape.js';

/** What is known of a value before the run: the value itself, or what a schema says of it. */
export type Known = { readonly value: Json } | { readonly schema: JsonSchema };

/** What the references of one scope can see. */
export type Surroundings = {
  readonly input: Json;
  readonly catalogue: Catalogue;
  readonly nodes: readonly PlanNode[];
  /** All ids of the plan, to tell a step of another scope from none at all. */
  readonly allIds: ReadonlySet<string>;
  readonly item?: {
    readonly outer: Surroundings;
    readonly forEachId: string;
    readonly known: Known;
    readonly index: Known;
  };
};

export type Unseen = { readonly code: PlanProblemCode; readonly message: string };

export const EACH_RESULT: JsonSchema = {
  type: 'object',
  properties: { items: { type: 'integer' }, succeeded: { type: 'integer' }, failed: { type: 'integer' } },
  additionalProperties: false,
};

/** What is known of the value that a reference stands for, or why it can have none. */
export const knownOf = (reference: Reference, around: Surroundings): Known | Unseen => {
  const source = sourceOf(reference, around);
  return 'code' in source ? source : part(source, reference.path, reference.text);
};

/** What is known of a part of a value. */
export const part = (known: Known, path: readonly string[], text: string): Known | Unseen => {
  const nowhere: Unseen = { code: 'leads_nowhere', message: `${text} leads nowhere` };
  if ('schema' in known) {
    const schema = schemaAt(known.schema, path);
    return schema === undefined ? nowhere : { schema: { ...definitions(known.schema), ...schema } };
  }
  const found = follow(known.value, path, text);
  return 'problem' in found ? nowhere : found;
};

// A part of a schema still refers to the definitions at the root of the whole.
const definitions = (schema: JsonSchema): JsonSchema => {
  const { $defs, definitions: older } = schema;
  return { ...($defs === undefined ? {} : { $defs }), ...(older === undefined ? {} : { definitions: older }) };
};

const sourceOf = (reference: Reference, around: Surroundings): Known | Unseen => {
  if (reference.root === 'input') return { value: around.input };
  if (reference.root === 'steps') return stepResult(reference, around);
  const item = reference.name === '' ? around.item : enclosing(around, reference.name);
  if (item === undefined) {
    return { code: 'unknown_reference', message: `${reference.text} does not stand in such a forEach` };
  }
  return reference.root === 'item' || reference.root === 'items' ? item.known : item.index;
};

const enclosing = (around: Surroundings, forEachId: string): Surroundings['item'] => {
  if (around.item === undefined || around.item.forEachId === forEachId) return around.item;
  return enclosing(around.item.outer, forEachId);
};

const stepResult = (reference: Reference, around: Surroundings): Known | Unseen => {
  const node = around.nodes.find(({ id }) => id === reference.name);
  if (node !== undefined) return { schema: resultSchema(node, around.catalogue) };
  if (around.item !== undefined) return stepResult(reference, around.item.outer);
  return around.allIds.has(reference.name)
    ? { code: 'reference_out_of_scope', message: `${reference.text} refers to a step of items it is not in` }
    : { code: 'unknown_reference', message: `${reference.text} refers to no step of this plan` };
};

const resultSchema = (node: PlanNode, catalogue: Catalogue): JsonSchema => {
  if (isForEach(node)) return EACH_RESULT;
  if (isCall(node)) return catalogue.get(node.tool)?.outputSchema ?? ANY;
  // What another run puts out is known only when it has ended.
  if (isRun(node)) return ANY;
  if (isAgent(node)) return node.agent.answer ?? { type: 'string' };
  const { choices, schema } = node.ask;
  return choices === undefined ? (schema ?? ANY) : { type: 'string', enum: choices };
};

const NOT_AN_ARRAY: Unseen = { code: 'not_an_array', message: 'forEach needs an array' };

/** What is known of the items of an array: its first ones, or what its schema says of all. */
export const itemsOf = (array: Known, count: number): readonly Known[] | Unseen => {
  if ('schema' in array) {
    const types = typesOf(array.schema);
    if (types === undefined) return [{ schema: ANY }];
    const item = types.has('array') ? part(array, ['0'], 'the array') : undefined;
    return item === undefined || 'code' in item ? NOT_AN_ARRAY : [item];
  }
  if (!isJsonArray(array.value)) return NOT_AN_ARRAY;
  return array.value.slice(0, count).map((value) => ({ value }));
};
