import { canonicalJson, type Digest, type LaneAnchor } from '@holdfast/events';
import { z } from 'zod';
import { messageKind, type MessageOf } from './codec/message.js';

/**
 * A snapshot of a lane: pieces, then one record that says what they are. It is written into one of two slots in turn, so
 * that one which is half written never takes the place of the one before it. Nothing rests on it: it is compared with
 * history before it is used, and history alone is enough.
 */
export const snapshotKind = messageKind('a part of a snapshot', {
  /** Some of the lines, as JSON, packed with gzip, in base64; those of one chunk are unpacked together. */
  SnapshotPiece: z.object({
    /** The snapshot that it belongs to. */
    snapshot: z.string().min(1).max(200),
    index: z.int().nonnegative(),
    body: z.string(),
  }),
  SnapshotTaken: z.object({
    snapshot: z.string().min(1).max(200),
    /** Of the fold that gives this state. */
    version: z.int().positive(),
    lane: z.int().nonnegative(),
    /** Where the record after it lies in `run-events`. */
    offset: z.int().positive(),
    /** Of the `LaneAdvanced` before that. */
    epoch: z.int().positive(),
    seq: z.int().nonnegative(),
    owner: z.string().min(1),
    /** Hash over all records of the lane up to there. */
    chain: z.string(),
    chunks: z.array(
      z.object({
        /** Unpacked. */
        bytes: z.int().nonnegative(),
        /** Where each piece lies in `run-snapshots`, with the SHA-256 of its value bytes. */
        pieces: z.array(z.object({ offset: z.int().nonnegative(), digest: z.string() })),
      }),
    ),
    /** SHA-256 of all of this as canonical JSON, with nothing in this place. */
    digest: z.string(),
  }),
});
type SnapshotRecord = MessageOf<typeof snapshotKind.types>;
export type SnapshotPiece = Extract<SnapshotRecord, { type: 'SnapshotPiece' }>['data'];
export type SnapshotTaken = Extract<SnapshotRecord, { type: 'SnapshotTaken' }>['data'];

export const snapshotSlots = ['a', 'b'] as const;
export type SnapshotSlot = (typeof snapshotSlots)[number];

/** The slot of a record that says what a snapshot is, by its key; null for all others. */
export const slotOf = (key: string | null): SnapshotSlot | null => snapshotSlots.find((slot) => slot === key) ?? null;

export const otherSlot = (slot: SnapshotSlot | null): SnapshotSlot => (slot === 'a' ? 'b' : 'a');

/** Compaction keeps the last record of each key: a slot holds what was written into it last. */
export const pieceKey = (slot: SnapshotSlot, index: number): string => `${slot}/${index}`;

/** The hash that a snapshot must have: over all that it says of itself. */
export const snapshotDigest = (taken: SnapshotTaken, digest: Digest): string =>
  digest(canonicalJson({ ...taken, digest: '' }));

export const anchorOf = ({ offset, epoch, seq, owner, chain }: SnapshotTaken): LaneAnchor => ({
  offset,
  epoch,
  seq,
  owner,
  chain,
});
