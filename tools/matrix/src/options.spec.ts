import { failpointNames } from '@holdfast/service/failpoint';
import { parseOptions } from './options.js';

describe('the options of the crash matrix', () => {
  it('are one sweep over all failpoints where nothing is said', () =>
    expect(parseOptions(['--seed', '7'])).toEqual({
      sweeps: 1,
      kills: null,
      seed: 7,
      fleets: 3,
      points: failpointNames,
      report: null,
      docs: false,
    }));

  it('are read as they are given', () =>
    expect(
      parseOptions([
        '--kills',
        '1000',
        '--fleets',
        '4',
        '--report',
        'a.json',
        '--docs',
        '--point',
        'coordinator.acquired',
      ]),
    ).toMatchObject({ kills: 1_000, fleets: 4, report: 'a.json', docs: true, points: ['coordinator.acquired'] }));
});
