import type { Json, JsonSchema } from '@holdfast/programs';
import { sha256, ToolFailure } from '@holdfast/sdk';
import type { ToolSettings } from '../section/section.js';

export type Args = Readonly<Record<string, Json>>;

const MARKER_LENGTH = 24;

/** One word by which an effect can be found again: the same for all attempts of a step, and for no other step. */
export const markerOf = (key: string): string => `hf${sha256(key).slice(0, MARKER_LENGTH)}`;

/** The arguments as they are sent: with the key and the marker where the file wants them. */
export const prepared = (args: Args, key: string, settings: Pick<ToolSettings, 'keyArgument' | 'marker'>): Args => {
  const { keyArgument, marker } = settings;
  const keyed = keyArgument === undefined ? args : { ...args, [keyArgument]: key };
  if (marker === undefined) return keyed;
  const before = keyed[marker.argument] ?? '';
  if (typeof before !== 'string') {
    throw new ToolFailure(`the argument ${marker.argument} must be a text, so that the marker can be added to it`, {
      code: 'invalid_args',
      retry: 'never',
      effect: 'none',
    });
  }
  return { ...keyed, [marker.argument]: `${before}${marker.text.replaceAll('{marker}', markerOf(key))}` };
};

/** What whoever calls must give: the key is added by the runtime, and the marker may be all of its argument. */
export const inputOf = (
  schema: JsonSchema,
  { keyArgument, marker }: Pick<ToolSettings, 'keyArgument' | 'marker'>,
): JsonSchema => {
  const { $schema: _, ...rest } = schema;
  const required = (rest['required'] ?? []) as readonly Json[];
  const properties = (rest['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const left = required.filter((name) => name !== keyArgument && name !== marker?.argument);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => name !== keyArgument)),
    ...(required.length === 0 ? {} : { required: left }),
  };
};
