import type { TurnView } from '@holdfast/api';

type Became = TurnView['calls'][number]['became'];

export const becameWords: Readonly<Record<Became, string>> = {
  refused: 'not made',
  open: 'under way',
  in_doubt: 'in doubt',
  succeeded: 'succeeded',
  failed: 'failed',
};

export const becameColor: Readonly<Record<Became, string>> = {
  refused: 'gray',
  open: 'blue',
  in_doubt: 'orange',
  succeeded: 'green',
  failed: 'red',
};

/** What the model was not shown. */
export const leftOutWords = ({ leftOut, summed }: TurnView['context']): string =>
  leftOut === 0 ? '' : `; ${leftOut} turns ${summed ? 'summed up' : 'left out'}`;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
