/** Keys under which the shell offers its things to the modules of a service. */
export const CONFIG = Symbol('CONFIG');
export const LOGGER = Symbol('LOGGER');
export const CLOCK = Symbol('CLOCK');
export const IDS = Symbol('IDS');
export const TIMER = Symbol('TIMER');
/** `Log` of @holdfast/log */
export const LOG = Symbol('LOG');
/** `Seats` of @holdfast/log */
export const SEATS = Symbol('SEATS');
/** `Topics` of @holdfast/log */
export const TOPICS = Symbol('TOPICS');
/** `TopicNames` of @holdfast/contracts */
export const TOPIC_NAMES = Symbol('TOPIC_NAMES');
/** `Metrics` of @holdfast/telemetry */
export const METRICS = Symbol('METRICS');
/** `Traces` of @holdfast/telemetry */
export const TRACES = Symbol('TRACES');
/** `Fatal`: ends the process when going on would be wrong. */
export const FATAL = Symbol('FATAL');

/** Logs one line that says what happened and stops the service with exit code 1. */
export type Fatal = (error: unknown) => void;
