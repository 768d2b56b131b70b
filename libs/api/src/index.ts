export * from './access.js';
export * from './cluster.js';
export * from './common.js';
export * from './requests.js';
export * from './roles.js';
export * from './run.js';
export * from './step.js';
export * from './routes/index.js';
