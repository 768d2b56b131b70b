export * from './codec/message.js';
export * from './dead-letters.js';
export * from './fleet.js';
export * from './lane-requests.js';
export * from './requests.js';
export * from './snapshots.js';
export * from './steps.js';
export * from './topics.js';
