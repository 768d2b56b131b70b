import type { FactoryProvider } from '@nestjs/common';
import { Projecting } from '../projecting.js';
import type { ShadowStatus } from '../shadow/shadow.js';
import { PROJECTIONS, type Projections, type Shadow } from './projections.port.js';

/** Those who write the rows, as the API sees them. */
export const projections: FactoryProvider<Projections> = {
  provide: PROJECTIONS,
  inject: [Projecting],
  useFactory: (projecting: Projecting) => ({
    rebuild: () => projecting.rebuild(),
    shadow: () => shadowOf(projecting.status().shadow),
    broken: (lane) => projecting.status().broken.get(lane) ?? null,
  }),
};

/** The first difference is the one of the lowest lane that has one: offsets of two lanes say nothing of each other. */
const shadowOf = ({ passes: rounds, rowsCompared, differences }: ShadowStatus): Shadow => {
  const [first] = differences.toSorted((a, b) => a.lane - b.lane);
  if (first === undefined) return { rounds, rowsCompared, differs: null };
  const { lane, offset, table, key, what } = first;
  const place = key === '' ? table : `${table} ${key.replaceAll('\n', '/')}`;
  return { rounds, rowsCompared, differs: { lane, offset, detail: `${place}: ${what}` } };
};
