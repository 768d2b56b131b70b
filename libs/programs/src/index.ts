export * from './plan.js';
export * from './progress.js';
