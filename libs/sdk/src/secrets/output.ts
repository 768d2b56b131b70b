import { knownSecrets } from './secrets.js';

type Lines = { write(line: string): unknown };

/** The same place for lines, without the secrets that this process knows. */
export const masked = (to: Lines): { write(line: string): void } => ({
  write: (line) => void to.write(knownSecrets.mask(line)),
});

type Chunk = string | Uint8Array;
type Printed = { write(chunk: Chunk, ...rest: unknown[]): boolean };

/** From now on the secrets that this process knows are masked in what its code prints on these streams. */
export const maskPrinting = (...streams: readonly object[]): void => {
  for (const stream of streams as readonly Printed[]) {
    const write = stream.write.bind(stream);
    stream.write = (chunk, ...rest) => write(maskChunk(chunk), ...rest);
  }
};

const maskChunk = (chunk: Chunk): Chunk => {
  if (typeof chunk === 'string') return knownSecrets.mask(chunk);
  const text = Buffer.from(chunk).toString('utf8');
  const without = knownSecrets.mask(text);
  return without === text ? chunk : Buffer.from(without);
};
