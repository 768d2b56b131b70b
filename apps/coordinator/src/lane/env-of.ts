import type { Env } from '../run/env.js';
import type { Facts, LaneMachine } from './lane.types.js';

/** What the decisions of one batch know. */
export const envOf = (machine: LaneMachine, facts: Facts): Env => {
  const { setting, firsts, lost, refused, requestsReadAt: answersReadAt } = machine;
  const { lane, lanes, settings, rules, digest } = setting;
  return { ...facts, lane, lanes, settings, rules, digest, firsts, lost, refused, answersReadAt };
};

export const NOBODY: LaneMachine['lost'] = new Map();
