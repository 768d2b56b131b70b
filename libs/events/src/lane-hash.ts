/**
 * The lane of a run: Kafka's murmur2 of the UTF-8 bytes of the run id, without its sign, modulo the number of lanes.
 * The same as the default partitioner of the Java client, so that clients in other languages find it by key alone.
 * Source: org.apache.kafka.common.utils.Utils.murmur2 (seed 0x9747b28c).
 */
export const laneOf = (runId: string, lanes: number): number =>
  (murmur2(new TextEncoder().encode(runId)) & 0x7fffffff) % lanes;

const M = 0x5bd1e995;
const SEED = 0x9747b28c;

/** Kafka's hash of bytes, 32 bits with a sign. */
export const murmur2 = (bytes: Uint8Array): number => {
  let hash = SEED ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    let k = byte(bytes, i) | (byte(bytes, i + 1) << 8) | (byte(bytes, i + 2) << 16) | (byte(bytes, i + 3) << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(k, M);
  }
  const rest = bytes.length & 3;
  if (rest >= 3) hash ^= byte(bytes, whole + 2) << 16;
  if (rest >= 2) hash ^= byte(bytes, whole + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ byte(bytes, whole), M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
};

const byte = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0;
