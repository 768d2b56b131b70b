export * from './log.port.js';
export * from './seats.port.js';
export * from './topics.port.js';
