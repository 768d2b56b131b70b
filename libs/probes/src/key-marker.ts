import { sha256 } from '@holdfast/sdk';

/**
 * A short text that stands for the key of a step: the same for every attempt of it, and for no other step. One word of 34
 * lower-case letters and digits, so that it may stand in a header, a file name, a commit or a sentence, and is found there
 * by a search for words.
 */
export const keyMarker = (key: string): string => `hf${sha256(key).slice(0, 32)}`;
