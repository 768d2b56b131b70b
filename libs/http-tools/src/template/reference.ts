import { follow, type Json } from '@holdfast/programs';
import { refuse, type Place } from '../place.js';

/** What a template may speak of. Before there is an answer, only `args` and `key`. */
export type Scene = {
  readonly args: Json;
  /** The idempotency key of the call. */
  readonly key: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
};

export type Root = keyof Scene;
export const asking: readonly Root[] = ['args', 'key'];
export const answered: readonly Root[] = ['args', 'key', 'status', 'headers', 'body'];

/** `args.order.lines[0].sku`, read. */
export type Reference = { readonly text: string; readonly root: Root; readonly path: readonly string[] };

const FORM = /^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/;

/** A reference that begins with one of `roots`; anything else is refused with its place. */
export const readReference = (text: string, roots: readonly Root[], place: Place): Reference => {
  const [first = '', ...path] = FORM.test(text) ? text.split(/[.[\]]+/).filter((segment) => segment !== '') : [];
  const root = roots.find((known) => known === first);
  if (root === undefined) return refuse(place, `${text} is no reference: it must begin with ${roots.join(', ')}`);
  return { text, root, path: root === 'headers' ? path.map((name) => name.toLowerCase()) : path };
};

/** The value that a reference stands for; undefined where it leads nowhere. */
export const look = ({ text, root, path }: Reference, scene: Scene): Json | undefined => {
  const found = follow((scene[root] ?? null) as Json, path, text);
  return 'value' in found ? found.value : undefined;
};
