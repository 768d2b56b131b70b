import { createHash } from 'node:crypto';
import type { Digest } from '@holdfast/events';

export const digest: Digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
