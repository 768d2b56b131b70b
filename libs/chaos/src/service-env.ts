export const serviceKinds = ['coordinator', 'executor', 'reconciler'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** Short enough for many strikes, long enough for a busy machine. */
const TIMES = {
  HOLDFAST_LEASE_MS: '2000',
  HOLDFAST_HEARTBEAT_MS: '200',
  HOLDFAST_START_BY_MS: '8000',
  HOLDFAST_GRACE_MS: '500',
  HOLDFAST_DRAIN_MS: '4000',
  HOLDFAST_SKEW_MS: '200',
};
const TIMES_OF: Readonly<Record<ServiceKind, Readonly<Record<string, string>>>> = {
  coordinator: {
    HOLDFAST_RUN_MS: '180000',
    HOLDFAST_CANCEL_MS: '10000',
    HOLDFAST_ESCALATION_MS: '120000',
    HOLDFAST_SETTLE_BY_MS: '60000',
    HOLDFAST_SNAPSHOT_EVENTS: '100',
    HOLDFAST_SNAPSHOT_EVERY_MS: '200',
  },
  executor: {},
  reconciler: { HOLDFAST_PROBE_FIRST_MS: '100', HOLDFAST_PROBE_MAX_MS: '500', HOLDFAST_QUESTION_MS: '3000' },
};

export type ServicePlace = {
  readonly kind: ServiceKind;
  readonly name: string;
  readonly brokers: readonly string[];
  readonly namespace: string;
  readonly lanes: number;
  /** Partitions of each queue. */
  readonly queues: Readonly<Record<string, number>>;
  readonly tools: readonly string[];
};

/** The variables of one service among several that share a namespace and a machine, with short times. */
export const serviceEnv = ({ kind, name, ...place }: ServicePlace): Readonly<Record<string, string | undefined>> => ({
  ...inheritedAway(),
  KAFKA_BROKERS: place.brokers.join(','),
  HOLDFAST_NAMESPACE: place.namespace,
  HOLDFAST_LANES: String(place.lanes),
  HOLDFAST_QUEUES: Object.entries(place.queues)
    .map(([queue, partitions]) => `${queue}:${partitions}`)
    .join(','),
  HOLDFAST_TOOLS: place.tools.join(','),
  HOLDFAST_INSTANCE: name,
  HOLDFAST_HTTP_PORT: '0',
  ...TIMES,
  ...TIMES_OF[kind],
});

/** A service refuses variables that it does not know, and this process may have some of another's. */
const inheritedAway = (): Readonly<Record<string, undefined>> =>
  Object.fromEntries(
    Object.keys(process.env).flatMap((name) => (name.startsWith('HOLDFAST_') ? [[name, undefined]] : [])),
  );
