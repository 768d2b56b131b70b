import { answersLost } from './answers-lost.js';
import { brokerFrozen, brokerKilled } from './broker-down.js';
import { clocksBeyond, clocksWithin } from './clock-jumps.js';
import { diskFull } from './disk-full.js';
import { OneBroker } from './one-broker.js';
import { environmentOf } from './scenario.js';
import { leaderKilled, ThreeBrokers, tooFewCopies, twoDown } from './three-brokers.js';

/** All that is done to the environment of the services. */
export const environments = [
  environmentOf('one broker', () => OneBroker.open(), {
    'broker killed and restarted': brokerKilled,
    'broker frozen and thawed': brokerFrozen,
    'answers to appends lost': answersLost,
    'disk of the broker full': diskFull,
    'clocks jump within the allowed skew': clocksWithin,
    'clocks jump beyond the allowed skew': clocksBeyond,
  }),
  environmentOf('three brokers', () => ThreeBrokers.open(), {
    'leader of history killed': leaderKilled((names) => names.history),
    'leader of claims killed': leaderKilled((names) => names.claims('default')),
    'leader of the journal killed': leaderKilled((names) => names.journal),
    'too few copies in sync': tooFewCopies,
    'two of three down': twoDown,
  }),
];
