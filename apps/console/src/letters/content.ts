import type { DeadLetterView } from '@holdfast/api';

export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text' | 'bytes'; readonly text: string };

/** What a dead letter holds, in the form in which it can be read best. */
export const contentOf = (value: DeadLetterView['value']): Content => {
  if (value === undefined || value.text === '') return { kind: 'none' };
  if (value.encoding === 'base64') return { kind: 'bytes', text: value.text };
  try {
    return { kind: 'json', value: JSON.parse(value.text) as unknown };
  } catch {
    return { kind: 'text', text: value.text };
  }
};
