import type { FactoryProvider } from '@nestjs/common';
import { Projecting } from '../projecting.js';
import { unavailable } from './problems.js';
import { PROJECTIONS, type Projections } from './projections.port.js';

/** Those who write the rows, as the API sees them. */
export const projections: FactoryProvider<Projections> = {
  provide: PROJECTIONS,
  inject: [Projecting],
  useFactory: (projecting: Projecting) => ({
    rebuild: () => Promise.reject(unavailable('not_possible', 'This gateway cannot rebuild its rows.')),
    shadow: () => null,
    broken: (lane) => projecting.status().broken.get(lane) ?? null,
  }),
};
