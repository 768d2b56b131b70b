import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { promisify } from 'node:util';

/** Makes bytes fewer, and gives them back. */
export type Packing = {
  pack(bytes: Uint8Array): Promise<Uint8Array>;
  /** Rejects where that is not what was packed, or is more than `bytesMax`. */
  unpack(packed: Uint8Array, bytesMax: number): Promise<Uint8Array>;
};

const LEVEL = 3;
const squeeze = promisify<Uint8Array, { level: number }, Buffer>(gzip);
const unsqueeze = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

/** Off the thread that everything else waits for. */
export const gzipPacking: Packing = {
  pack: (bytes) => squeeze(bytes, { level: LEVEL }),
  unpack: (packed, bytesMax) => unsqueeze(packed, { maxOutputLength: Math.max(1, bytesMax) }),
};

/** The same within one turn, for whoever must know the order of everything. */
export const gzipAtOnce: Packing = {
  pack: async (bytes) => gzipSync(bytes, { level: LEVEL }),
  unpack: async (packed, bytesMax) => gunzipSync(packed, { maxOutputLength: Math.max(1, bytesMax) }),
};
