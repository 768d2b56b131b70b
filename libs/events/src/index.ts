export {
  addAmounts,
  amountOf,
  amountsBeyond,
  amountsSchema,
  amountWords,
  callsKind,
  compare as compareAmounts,
  isMoney,
  moneyKind,
  subtractAmounts,
  type Amount,
  isNone,
  isShare,
  lesser,
  minusOrNone,
  plus,
  shareOf,
  times,
  type Amounts,
} from './budget/amounts.js';
export type { CallSeen, Grant, LoopWatch, RunBudget, Stop } from './budget/budget.state.js';
export { applyBudgetChanged, heldBy, onlyReported, reservationOf } from './budget/budget.evolve.js';
export { spentOfGrant } from './budget/elsewhere.js';
export { isWarned, loopIn, loopRuleOf, type Loop } from './budget/loop.js';
export { tenantIn, tenantLeft, type Tenant } from './budget/tenant.evolve.js';
export { noRuns, tenantRun, type TenantRun, type Wish } from './budget/tenant.runs.js';
export { usageAmounts, usageSchema, type Usage } from './budget/usage.js';
export { childGrant, ITSELF, type ChildGrant } from './budget/child.js';
export { beyondLimits, leftOf, limitsOf, limitsSchema, steerLimits, usedUnder, type Limits } from './budget/limits.js';
export {
  exceeded,
  releaseReserved,
  reserve,
  settleReserved,
  shortages,
  shortageWords,
  type Reserved,
  type Shortage,
} from './budget/reserve.js';
export { gaugesOf, type Gauge } from './budget/gauges.js';
export * from './canonical.js';
export * from './defect.js';
export { forkSchema, type Fork } from './fork/fork.events.js';
export { planFork, type ForkPlan, type ForkStep, type ForkWish } from './fork/fork.plan.js';
export { runFacts, type ForkEffect, type RunFacts, type StepFact } from './fork/fork.facts.js';
export * from './ids.js';
export * from './json.js';
export { laneOf } from './lane-hash.js';
export * from './trace.js';
export * from './limits.js';
export * from './policy.js';
export * from './text.js';
export * from './lane/lane.events.js';
export * from './lane/lane.fold.js';
export * from './lane/lane.snapshot.js';
export * from './lane/lane.state.js';
export * from './record/record.js';
export { argumentsIn, type Arguments } from './run/arguments.js';
export * from './run/concluded.js';
export * from './run/child.events.js';
export { childOf } from './run/child.evolve.js';
export * from './run/key.events.js';
export * from './run/escalation.events.js';
export * from './run/escalation.state.js';
export * from './run/run.events.js';
export * from './run/run.evolve.js';
export { isSettled, openStep } from './run/run.parts.js';
export * from './run/run.state.js';
export * from './run/settling.js';
export * from './run/standing.js';
export * from './run/waits-for.js';
export { awaitsCompensation, isToBeUndone, keepsKey, type Undo, type Undoable } from './run/undo.js';
export * from './shared/key.state.js';
export * from './shared/shared.events.js';
export * from './shared/shared.evolve.js';
export * from './shared/shared.state.js';
export * from './shared/table.js';
