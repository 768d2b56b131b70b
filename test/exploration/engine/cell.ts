/** A value that is known by its number: two cells of the same content are the same cell. */
export type Cell<T> = { readonly id: number; readonly value: T };

/**
 * Holds every value once. Values are told apart by a text of their whole content, not by a fingerprint: two that
 * differ are never taken for one.
 */
export class Cells {
  readonly #byText = new Map<string, Cell<unknown>>();
  readonly #byId: Cell<unknown>[] = [];
  readonly #cells = new WeakSet<object>();
  readonly #texts = new WeakMap<object, string>();
  readonly #memory = new Map<string, unknown>();

  of<T>(value: T): Cell<T> {
    const text = this.#textOf(value);
    const known = this.#byText.get(text);
    if (known !== undefined) return known as Cell<T>;
    const cell = Object.freeze({ id: this.#byId.length, value });
    this.#byText.set(text, cell);
    this.#byId.push(cell);
    this.#cells.add(cell);
    return cell;
  }

  at(id: number): Cell<unknown> {
    const cell = this.#byId[id];
    if (cell === undefined) throw new Error(`there is no cell ${id}`);
    return cell;
  }

  get count(): number {
    return this.#byId.length;
  }

  /** What follows from the parts that `key` names is worked out once. */
  once<T>(key: string, make: () => T): T {
    const known = this.#memory.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    this.#memory.set(key, made);
    return made;
  }

  #textOf(value: unknown): string {
    if (typeof value !== 'object' || value === null)
      return typeof value === 'string' ? JSON.stringify(value) : String(value);
    if (this.#cells.has(value)) return `#${(value as Cell<unknown>).id}`;
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const content = this.#contentOf(value);
    // A long text is a cell of its own: what holds it names its number.
    const text = content.length < 40 ? content : `~${this.of(content).id}`;
    if (Object.isFrozen(value) || value instanceof Uint8Array) this.#texts.set(value, text);
    return text;
  }

  #contentOf(value: object): string {
    if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('latin1')}`;
    if (value instanceof Map) return `m[${this.#textsOf([...value].flat(1))}]`;
    if (value instanceof Set) return `s[${this.#textsOf([...value])}]`;
    if (Array.isArray(value)) return `[${this.#textsOf(value)}]`;
    let text = '{';
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'function') text += `${name}:${this.#textOf(field)},`;
    }
    return `${text}}`;
  }

  #textsOf(values: readonly unknown[]): string {
    let text = '';
    for (const value of values) text += `${this.#textOf(value)},`;
    return text;
  }
}

/** A copy that may be changed. What is frozen is shared: nobody can change it. */
export const copied = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Uint8Array)
    return value;
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, copied(one) as unknown])) as T;
  if (value instanceof Set) return new Set(value) as T;
  if (Array.isArray(value)) return value.map(copied) as T;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) copy[name] = copied((value as Record<string, unknown>)[name]);
  return copy as T;
};
