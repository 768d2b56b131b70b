export { isStopped, nodeChildrenOf, signal } from './processes.js';
export { Member, type MemberHealth, type MemberPlan } from './member.js';
export { runChaos, type ChaosPlan } from './chaos.js';
export { EFFECTS_ONCE, type Strictness, type Tally } from './counting.js';
export { serviceKinds, type ServiceKind } from './fleet.js';
export type { Program } from './load.js';
export { type ByKind, type Cell, type Quantiles, type Report } from './report.js';
export { scheduleRandom, scheduleSweeps, type Strike, type StrikeAction } from './schedule.js';
export { LedgerUnreadable, ledgerWitness, toolsWitness, type Witness } from './witness.js';
