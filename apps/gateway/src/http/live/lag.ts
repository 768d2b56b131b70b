import { readProjections } from '../../store/read-cluster.js';
import type { HttpParts } from '../parts.js';
import { unavailable, type ProblemError } from '../problems.js';

export type Lag = { readonly lane: number; readonly records: number; readonly first: boolean };

/** More than waits for the database while rows are written as records come. */
const BEHIND = 5_000;

/** Records of each of these lanes that are not in the rows yet; none where they are known never to be. */
export const lagsOf = async (parts: HttpParts, lanes: readonly number[]): Promise<readonly Lag[]> => {
  const { database, log, names, projections } = parts;
  const rows = (await readProjections(database)).filter(({ source }) => source === names.history);
  const moving = lanes.filter((lane) => projections.broken(lane) === null);
  return Promise.all(
    moving.map(async (lane) => {
      const nextOffset = rows.find(({ partition }) => partition === lane)?.nextOffset ?? 0;
      const { end } = await log.bounds(names.history, lane);
      return { lane, records: Math.max(0, end - nextOffset), first: nextOffset === 0 };
    }),
  );
};

/** Whether the rows are of another time than the log, so that what is new in them is old. */
export const isBehind = ({ records, first }: Lag): boolean => records > (first ? 0 : BEHIND);

export const catchingUp = ({ lane, records }: Lag): ProblemError =>
  unavailable('catching_up', `${records} records of lane ${lane} are not projected yet.`, {
    advice: 'Ask again, with the same Last-Event-ID where there is one, or from=start.',
  });
