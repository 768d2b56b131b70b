import { invalid } from '../asked.js';

/** Up to which number each lane was told, by its number. */
export type LanePositions = number[];

const wrong = () => invalid([{ at: 'header.last-event-id', message: 'is not the id of an event of this stream' }]);

/** The id of an event in the stream of all runs: where every lane was after it. */
export const idOf = (positions: LanePositions): string => positions.join('.');

export const positionsOf = (id: string, lanes: number): LanePositions => {
  const parts = id.split('.').map(numberOf);
  if (parts.length !== lanes) throw wrong();
  return parts;
};

/** The id of an event in the stream of one run is its number. */
export const numberOf = (id: string): number => {
  if (!/^-1$|^\d{1,15}$/.test(id)) throw wrong();
  return Number(id);
};
