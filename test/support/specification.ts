import { deepStrictEqual } from 'node:assert';
import { evolve, type RunEvent, type RunState } from '@holdfast/events';
import { draftOf, laneDraftOf, type RunDraft } from '../../apps/coordinator/src/run/draft.js';
import type { Env } from '../../apps/coordinator/src/run/env.js';
import { sayAmended } from '../../apps/coordinator/src/run/report.js';
import { RULES } from '../../apps/coordinator/src/run/rules.js';
import { T0 } from './clock.js';
import { digest } from './digest.js';
import { frozen } from './frozen.js';
import { queueOf } from './lane-harness.js';
import { settings } from './settings.js';
import { allTools } from './tools.js';

export const envOf = (more: Partial<Env> = {}): Env => ({
  now: T0,
  lane: 0,
  lanes: 1,
  settings,
  rules: RULES,
  digest,
  catalogue: allTools,
  fleet: { queues: { default: queueOf() } },
  firsts: new Map(),
  lost: new Map(),
  refused: new Set(),
  answersReadAt: Infinity,
  ...more,
});

/**
 * given(history).when(decide).thenRecorded(events)
 *
 * Besides what it asserts, every scenario proves unasked that nothing is mutated, that every event survives being
 * written and read back, and that folding history and decision gives the state that the decision saw.
 */
export const given = (...history: readonly RunEvent[]) => ({
  when: (decide: (draft: RunDraft) => void) => {
    const draft = draftOf('run-1', replay(history), laneDraftOf(history.length - 1));
    decide(draft);
    sayAmended(draft, envOf());
    const recorded = draft.events.map(({ event }) => event);
    deepStrictEqual(replay([...history, ...recorded]), draft.run);
    return {
      thenRecorded: (...events: readonly RunEvent[]) => expect(recorded).toEqual(events),
      thenHappened: (...types: readonly RunEvent['type'][]) => expect(recorded.map(({ type }) => type)).toEqual(types),
      thenNothing: () => expect([recorded, draft.replies]).toEqual([[], []]),
      thenAnswered: (reply: object) => {
        expect(recorded).toEqual([]);
        expect(draft.replies).toMatchObject([reply]);
      },
    };
  },
});

const replay = (history: readonly RunEvent[]): RunState | undefined => {
  const stored = JSON.parse(JSON.stringify(history)) as RunEvent[];
  deepStrictEqual(stored, history);
  let state: RunState | undefined;
  stored.forEach((event, seq) => {
    state = frozen(evolve(state, frozen(event), seq));
  });
  return state;
};
