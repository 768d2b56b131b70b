export { eventually } from './eventually.js';
export { freePort } from './free-port.js';
export { startKafka, type KafkaCluster, type KafkaNode, type KafkaOptions } from './kafka.js';
export { commitOf, describeMachine, type Machine } from './machine.js';
export { openKafka, type OpenedKafka } from './open-kafka.js';
export { openPostgres, type OpenedPostgres } from './open-postgres.js';
export { dataDir, isAlive, repositoryRoot, serviceProgram, stateDir } from './paths.js';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres.js';
export { spawnService, type Exit, type Service, type ServiceOptions } from './service.js';
