import type { TurnView } from '@holdfast/api';

/** What the model was not shown. */
export const leftOutWords = ({ leftOut, summed }: TurnView['context']): string =>
  leftOut === 0 ? '' : `; ${leftOut} turns ${summed ? 'summed up' : 'left out'}`;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
