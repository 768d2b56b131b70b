import { RULES as COORDINATOR, type Rules as CoordinatorRules } from '../../apps/coordinator/src/run/rules.js';
import { RULES as SESSION, type Rules as SessionRules } from '../../apps/executor/src/session/rules.js';
import { RULES as GATEWAY, type Rules as GatewayRules } from '../../apps/gateway/src/store/rules.js';
import { RULES as RECONCILER, type Rules as ReconcilerRules } from '../../apps/reconciler/src/doubt/doubt.rules.js';

export type AllRules = {
  readonly coordinator: CoordinatorRules;
  readonly session: SessionRules;
  readonly reconciler: ReconcilerRules;
  readonly gateway: GatewayRules;
};
export type Part = keyof AllRules;

export const ALL_RULES: AllRules = {
  coordinator: COORDINATOR,
  session: SESSION,
  reconciler: RECONCILER,
  gateway: GATEWAY,
};

/** A rule by its name, for example `coordinator.sameBytes`. */
export const allRuleNames: readonly string[] = Object.entries(ALL_RULES).flatMap(([part, rules]) =>
  Object.keys(rules).map((rule) => `${part}.${rule}`),
);

/** All rules but these. Throws on a name that is none. */
export const withoutRules = (names: readonly string[]): AllRules => {
  const rules: Record<Part, Record<string, boolean>> = {
    coordinator: { ...COORDINATOR },
    session: { ...SESSION },
    reconciler: { ...RECONCILER },
    gateway: { ...GATEWAY },
  };
  for (const name of names) {
    const [part, rule] = name.split('.') as [Part, string];
    if (rules[part]?.[rule] !== true) throw new Error(`there is no rule ${name}; there are ${allRuleNames.join(', ')}`);
    rules[part][rule] = false;
  }
  return rules as unknown as AllRules;
};
