import type { Mutant } from './mutant.js';

export const gatewayMutants: readonly Mutant[] = [
  {
    rules: ['gateway.comparePosition'],
    breaks: ['rowsEqualRebuild'],
    focus: {
      faults: [0, 0],
      losses: [0, 0],
      trouble: [0],
      runs: [3, 5],
      gateways: [2, 2],
      gatewayFaults: [4, 8],
      gatewayFaulty: ['gateway/send rows/freeze', 'gateway/send rows/freeze', 'gateway/*/unseat'],
    },
    from: 1,
  },
];
