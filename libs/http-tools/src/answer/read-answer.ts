import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Json } from '@holdfast/programs';
import { HttpError, type ToolResponse } from '@holdfast/sdk';

/** An answer, read: `body` is null where it has none. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly text: string;
};

const DECODERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * JSON where the answer says that it is or says nothing, and text otherwise. Throws `HttpError` for what is neither, or
 * larger than `bytesMax` once it is unpacked: it was answered, but nobody knows what.
 */
export const readAnswer = ({ status, headers, bytes }: ToolResponse, bytesMax: number): Answer => {
  const text = decode(unpack(bytes, headers['content-encoding'], { status, bytesMax }), status);
  return { status, headers, text, body: bodyOf(text, headers['content-type'], status) };
};

const unreadable = (status: number, reason: string, cause?: unknown): HttpError =>
  new HttpError(`the answer (${status}) cannot be read: ${reason}`, 'unreadable_answer', status, { cause });

type Bound = { readonly status: number; readonly bytesMax: number };

// Nothing packed is asked for; a server that packs all the same is still bounded by what comes out.
const unpack = (bytes: Uint8Array, encoding: string | undefined, { status, bytesMax }: Bound): Uint8Array => {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || bytes.byteLength === 0) return bytes;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (decoder === undefined) throw unreadable(status, `its content encoding is ${name}`);
  try {
    return decoder(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
      throw unreadable(status, `it is no ${name}`, error);
    throw new HttpError(`the answer is larger than ${bytesMax} bytes`, 'response_too_large', status, { cause: error });
  }
};

const decode = (bytes: Uint8Array, status: number): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(status, 'it is no text in UTF-8', error);
  }
};

const bodyOf = (text: string, contentType: string | undefined, status: number): Json => {
  if (text.trim() === '') return null;
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = /[/+]json$/.test(type);
  if (!isJson && type !== '') return text;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    // A body that does not say what it is may as well be text; a page of errors may call itself JSON.
    if (!isJson || status < 200 || status > 299) return text;
    throw unreadable(status, `it says that it is JSON and is not: ${(error as Error).message}`, error);
  }
};
