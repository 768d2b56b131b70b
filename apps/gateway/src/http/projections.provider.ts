import type { FactoryProvider } from '@nestjs/common';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../gateway.config.js';
import { Projecting } from '../projecting.js';
import { PROJECTIONS, type Projections, type Shadow } from './projections.port.js';

/** Those who write the rows, as the API sees them. */
export const projections: FactoryProvider<Projections> = {
  provide: PROJECTIONS,
  inject: [Projecting, CONFIG],
  useFactory: (projecting: Projecting, config: GatewayConfig) => ({
    rebuild: () => projecting.rebuild(),
    shadow: () => (config.shadowRate === 0 ? null : shadowOf(projecting)),
    broken: (lane) => projecting.status().broken.get(lane) ?? null,
  }),
};

/** The first difference is the one of the lowest lane that has one: offsets of two lanes say nothing of each other. */
const shadowOf = (projecting: Projecting): Shadow => {
  const { passes: rounds, rowsCompared, lane, offset, differences } = projecting.status().shadow;
  const [first] = differences.toSorted((a, b) => a.lane - b.lane || a.offset - b.offset);
  const detail = first === undefined ? '' : `${first.table} ${first.key.replaceAll('\n', ' ')}: ${first.what}`;
  return {
    rounds,
    rowsCompared,
    at: lane === null ? null : { lane, offset },
    differs: first === undefined ? null : { lane: first.lane, offset: first.offset, detail },
  };
};
