import { TopicMismatch } from '../topics.port.js';
import type { Topics, TopicSpec } from '../topics.port.js';
import type { MemoryCluster } from './cluster.js';

/** `Topics` of a cluster in memory. */
export function createMemoryTopics(cluster: MemoryCluster): Topics {
  return {
    ensure: (specs) =>
      new Promise((resolve) => {
        for (const spec of specs) if (cluster.spec(spec.name) === null) cluster.create(spec);
        const differences = specs.flatMap((spec) => compare(spec, cluster.spec(spec.name)));
        if (differences.length > 0) throw new TopicMismatch(differences.join('\n'));
        resolve();
      }),
    differences: (specs) => Promise.resolve(specs.flatMap((spec) => compare(spec, cluster.spec(spec.name)))),
    partitions: (topics) =>
      Promise.resolve(new Map(topics.map((topic) => [topic, cluster.spec(topic)?.partitions ?? null]))),
    list: (prefix) => Promise.resolve(cluster.names().filter((name) => name.startsWith(prefix))),
  };
}

function compare(wanted: TopicSpec, got: TopicSpec | null): readonly string[] {
  if (got === null) return [`${wanted.name}: missing`];
  const differences: string[] = [];
  for (const field of ['partitions', 'cleanup', 'retentionMs'] as const) {
    if (got[field] !== wanted[field]) {
      differences.push(`${wanted.name}: ${field} is ${got[field]}, wanted ${wanted[field]}`);
    }
  }
  return differences;
}
