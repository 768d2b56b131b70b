export * from './plan.js';
export { type NodeProgress, type PlanOutcome, type Progress, type ReadyStep } from './progress.js';
export { ProgramError } from './program-error.js';
export { type Reference } from './reference.js';
export { resolve, type Look, type Resolved } from './resolve.js';
export { begin, failed, opened, succeeded } from './advance.js';
export { argsOf, ready } from './ready.js';
export { outcome } from './outcome.js';
export { isDependent, nodeSettings, stepAt, type NodeSettings } from './steps.js';
