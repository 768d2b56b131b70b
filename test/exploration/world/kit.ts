import type { Digest } from '@holdfast/events';
import type { Plan } from '@holdfast/programs';
import type { Facts } from '../../../apps/coordinator/src/lane/lane.types.js';
import type { Settings } from '../../../apps/coordinator/src/run/env.js';
import { RULES as LANE_RULES, type Rules as LaneRules } from '../../../apps/coordinator/src/run/rules.js';
import { RULES as SESSION_RULES, type Rules as SessionRules } from '../../../apps/executor/src/session/rules.js';
import {
  defaultSettings,
  RULES as ASKING_RULES,
  type Rules as AskingRules,
} from '../../../apps/reconciler/src/doubt/doubt.rules.js';
import { T0 } from '../../support/clock.js';
import { catalogueOf, tool } from '../../support/tools.js';
import { Cells } from '../engine/cell.js';
import type { Fault } from './parts.js';

/** A small system and the faults that may happen to it. */
export type Configuration = {
  readonly name: string;
  readonly about: string;
  readonly program: Plan;
  readonly coordinators: 1 | 2;
  readonly executors: 1 | 2;
  readonly faults: Partial<Record<Fault, number>>;
  /** From this epoch on a coordinator that lost its seat learns of it before it writes again. */
  readonly epochsMax?: number;
};

/** Rules that are switched off, to show that the exploration notices. */
export type RulesOff = {
  readonly lane?: Partial<LaneRules>;
  readonly session?: Partial<SessionRules>;
  readonly asking?: Partial<AskingRules>;
};

/** All times are multiples of this, so that moments coincide. */
export const UNIT_MS = 1_000;
/** What is due later than this is a deadline that the exploration does not wait for. */
export const HORIZON = T0 + 1_000 * UNIT_MS;

const settings: Settings = {
  startByMs: UNIT_MS,
  graceMs: 0,
  skewMs: 0,
  settleByMs: 500_000 * UNIT_MS,
  escalationMs: 500_000 * UNIT_MS,
  cancelMs: UNIT_MS,
  endLeadMs: 0,
  runMs: 500_000 * UNIT_MS,
  probesMax: 2,
  decisionBytes: 900 * 1024,
  snapshotEvents: 0,
  snapshotEveryMs: 0,
};

const times = { timeoutMs: UNIT_MS, settleMs: UNIT_MS };
const catalogue = catalogueOf(
  tool('pure', times),
  tool('repeatable', times),
  tool('keyed', { ...times, keyTtlMs: 600_000 * UNIT_MS }),
  tool('verifiable', times),
  tool('unprotected', times),
);

/** What all machines of one exploration share. */
export class Kit {
  readonly cells = new Cells();
  readonly settings = settings;
  readonly laneRules: LaneRules;
  readonly sessionRules: SessionRules;
  readonly askingRules: AskingRules;
  readonly asking = { ...defaultSettings('R'), skewMs: 0, probeFirstMs: UNIT_MS };
  /** Stands for SHA-256: equal for equal bytes and for no others. */
  readonly digest: Digest = (bytes) => {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
    return `digest ${this.cells.of(text).id}`;
  };

  /** Nobody could tell whether the only executor has been answered when its claim is in the log. */
  get joinsClaims(): boolean {
    return this.configuration.executors === 1 && this.configuration.faults.lostClaim === undefined;
  }

  constructor(
    readonly configuration: Configuration,
    off: RulesOff = {},
  ) {
    this.laneRules = Object.freeze({ ...LANE_RULES, ...off.lane });
    this.sessionRules = Object.freeze({ ...SESSION_RULES, ...off.session });
    this.askingRules = Object.freeze({ ...ASKING_RULES, ...off.asking });
  }

  /** What a coordinator knows besides its inputs; `claimsEnd` is how far it has read the claims. */
  facts(now: number, claimsEnd: number): Facts {
    const partitions = [{ partition: 0, claimsEnd, tools: new Set(catalogue.keys()) }];
    return { now, catalogue, fleet: { queues: { default: { partitions, slots: 8, lanesWanting: 1 } } } };
  }
}
