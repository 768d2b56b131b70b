import { Buffer } from 'node:buffer';

const BYTES_MAX = 1_024;

/** Stands for the step's marker in the name of an object. */
export const MARKER = '{marker}';

/** What is wrong with the name of an object, or null. Segments that a URL takes for a way up would lead out of the bucket. */
export const keyProblem = (key: string): string | null => {
  if (key === '') return 'it is empty';
  if (Buffer.byteLength(key) > BYTES_MAX) return `it is longer than ${BYTES_MAX} bytes`;
  if (/\p{Cc}/u.test(key)) return 'it holds a control character';
  if (key.startsWith('/')) return 'it begins with a slash';
  if (key.split('/').some((part) => part === '.' || part === '..')) return 'it has . or .. as a part';
  return null;
};

/** The name as the path of a URL. S3 signs what is encoded like this, and nothing less. */
export const keyPath = (key: string): string =>
  key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
