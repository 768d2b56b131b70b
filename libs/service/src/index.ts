export { systemClock, systemIds, systemTimer, type Cancel, type Clock, type Ids, type Timer } from '@holdfast/sdk';
export { baseConfigSchema, type BaseConfig } from './config/base-config.js';
export { describeConfig, printConfig, type SettingRow } from './config/describe-config.js';
export { accessFrom, accessOf, kafkaSettings } from './config/kafka-settings.js';
export { rememberSecrets } from './config/named-secrets.js';
export { ConfigError, readConfig, variableOf, type Environment } from './config/read-config.js';
export { VARIABLES } from './config/variables.js';
export { list, millis, oneOf, setting, wholeNumber, yesOrNo, type SettingOptions } from './config/settings.js';
export { Health, type HealthCheck, type HealthReport } from './health/health.js';
export { openKafka, type Kafka, type KafkaFactory } from './kafka/kafka.js';
export { LanesMismatch, prepareCluster, type ClusterPorts, type ClusterWish } from './kafka/prepare-cluster.js';
export { offByBroker, type Moment, type Stamped } from './kafka/stamp.js';
export { WatchedClock, watchSkew } from './kafka/watched-clock.js';
export { createLogger, type LoggerOptions, type ServiceLogger } from './logger.js';
export { processHost, type Host } from './service/host.js';
export { runService, type ServiceDefinition } from './service/run-service.js';
export { ServiceModule, type ServiceParts } from './service/service.module.js';
export {
  CLOCK,
  CONFIG,
  FATAL,
  IDS,
  LOG,
  LOGGER,
  METRICS,
  SEATS,
  TIMER,
  TOPIC_NAMES,
  TOPICS,
  TRACES,
  type Fatal,
} from './tokens.js';
export { Catalogue, type CatalogueChange } from './catalogue/catalogue.js';
export { publishTools, ToolsRefused, type PublishPorts } from './catalogue/publish-tools.js';
export {
  followCatalogue,
  readCatalogue,
  type CatalogueFollower,
  type FollowCatalogue,
} from './catalogue/read-catalogue.js';
export { appendSurely } from './kafka/append-surely.js';
