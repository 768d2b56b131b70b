import kafkajs from 'kafkajs';
import type { AclEntry, AclFilter } from 'kafkajs';
import type { Acls, Grant } from '../acls.port.js';
import { withAdmin } from './admin.js';
import { answerType, detailOf } from './internals.js';
import type { KafkaOptions } from './options.js';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const TIMEOUT_MS = 15_000;

const TYPES = {
  topic: AclResourceTypes.TOPIC,
  group: AclResourceTypes.GROUP,
  cluster: AclResourceTypes.CLUSTER,
} as const;
const PATTERNS = { literal: ResourcePatternTypes.LITERAL, prefixed: ResourcePatternTypes.PREFIXED } as const;
const OPERATIONS: Readonly<Record<string, AclEntry['operation']>> = {
  all: AclOperationTypes.ALL,
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
  create: AclOperationTypes.CREATE,
  delete: AclOperationTypes.DELETE,
  alter: AclOperationTypes.ALTER,
  describe: AclOperationTypes.DESCRIBE,
  'describe-configs': AclOperationTypes.DESCRIBE_CONFIGS,
  'alter-configs': AclOperationTypes.ALTER_CONFIGS,
};

/** The brokers cannot say, or change, who may do what. */
export class AclsUnavailable extends Error {
  override readonly name = 'AclsUnavailable';
}

/** `Acls` of Kafka's authorizer. */
export const createKafkaAcls = (options: KafkaOptions): Acls => ({
  of: (principal) => asked(() => listed(options, principal)),
  grant: async (grants) => {
    if (grants.length === 0) return;
    await asked(() => withAdmin(options, TIMEOUT_MS, (admin) => admin.createAcls({ acl: grants.map(entryOf) })));
  },
  revoke: async (grants) => {
    if (grants.length === 0) return;
    const filters = grants.map((grant): AclFilter => entryOf(grant));
    await asked(() => withAdmin(options, TIMEOUT_MS, (admin) => admin.deleteAcls({ filters })));
  },
});

const listed = async (options: KafkaOptions, principal: string): Promise<readonly Grant[]> => {
  const filter = {
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ALLOW,
    principal,
  };
  const { resources } = await withAdmin(options, TIMEOUT_MS, (admin) => admin.describeAcls(filter));
  return resources.flatMap(({ resourceType, resourceName: name, resourcePatternType, acls }) => {
    const type = keyOf(TYPES, resourceType);
    const pattern = keyOf(PATTERNS, resourcePatternType);
    if (type === undefined || pattern === undefined) return [];
    return acls.map(({ operation }) => {
      return { principal, type, name, pattern, operation: keyOf(OPERATIONS, operation) ?? String(operation) };
    });
  });
};

const entryOf = ({ principal, type, name, pattern, operation }: Grant): AclEntry => ({
  principal,
  host: '*',
  resourceType: TYPES[type],
  resourceName: name,
  resourcePatternType: PATTERNS[pattern],
  operation: OPERATIONS[operation] ?? AclOperationTypes.UNKNOWN,
  permissionType: AclPermissionTypes.ALLOW,
});

const keyOf = <K extends string>(values: Readonly<Record<K, number>>, wanted: number): K | undefined =>
  (Object.keys(values) as K[]).find((key) => values[key] === wanted);

const asked = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const type = answerType(error);
    if (type === 'SECURITY_DISABLED')
      throw new AclsUnavailable('the brokers keep no access lists: set authorizer.class.name on them', {
        cause: error,
      });
    if (type === 'CLUSTER_AUTHORIZATION_FAILED')
      throw new AclsUnavailable('only a principal that may alter the cluster can see and change access lists', {
        cause: error,
      });
    throw new AclsUnavailable(`access lists cannot be had: ${detailOf(error)}`, { cause: error });
  }
};
