import type { Json } from '@holdfast/programs';
import { formsOf, SECRET_LENGTH_MIN } from './forms.js';

/**
 * The secrets that this process was given by reference. Whatever leaves it is masked by them: log lines, failures,
 * evidence, results, answers. A value that nobody has added cannot be known.
 */
export class Secrets {
  private readonly names = new Map<string, string>();
  private pattern: RegExp | null = null;

  /** From now on the value is masked, by its name. Of a URL the password counts by itself. */
  add(name: string, value: string): void {
    for (const part of [value, ...passwordsIn(value)]) {
      for (const form of formsOf(part)) if (!this.names.has(form)) this.names.set(form, name);
    }
    // At one place the longest form counts: a shorter one inside would leave the rest of it standing.
    const forms = [...this.names.keys()].toSorted((a, b) => b.length - a.length);
    this.pattern = forms.length === 0 ? null : new RegExp(forms.map(escaped).join('|'), 'g');
  }

  /** The text without any secret. */
  mask(text: string): string {
    if (this.pattern === null) return text;
    return text.replace(this.pattern, (form) => {
      const marker = `[secret ${this.names.get(form) ?? ''}]`;
      return [...this.names.keys()].some((other) => marker.includes(other)) ? '[***]' : marker;
    });
  }

  /** The value with every text in it masked, names of fields included; the same value where nothing is. */
  maskJson<T extends Json>(value: T): T {
    if (this.pattern === null) return value;
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined || this.mask(text) === text ? value : (this.deep(value) as T);
  }

  private deep(value: Json): Json {
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) return value.map((one) => this.deep(one as Json));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value as Record<string, Json>);
    return Object.fromEntries(entries.map(([key, one]) => [this.mask(key), this.deep(one)]));
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const passwordsIn = (value: string): readonly string[] => {
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  const all = [password, decoded(password)];
  return all.filter((one) => one.length >= SECRET_LENGTH_MIN);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const PLACE = Symbol.for('holdfast.secrets');
// A tool may bring its own copy of this library: what it adds must be masked by the worker's.
const place = globalThis as { [PLACE]?: Secrets };

/** Those of this process. */
export const knownSecrets: Secrets = (place[PLACE] ??= new Secrets());
