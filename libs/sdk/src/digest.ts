import { hash } from 'node:crypto';
import type { Digest } from '@holdfast/events';

/** SHA-256 as lower-case hex; text is hashed as UTF-8. */
export const sha256: Digest = (bytes) => hash('sha256', bytes, 'hex');
