import type { Json } from '@holdfast/programs';
import { knownSecrets } from '@holdfast/sdk';
import { boundTail } from './bound-tail.js';

const EVERY_MS = 1_000;
const TEXT_BYTES_MAX = 2_048;

/**
 * Tells whoever watches what a model has written so far: at most once a second, and of a long text only its end, with
 * the number of bytes before it as `omittedBytes`. The result of the call does not need any of it.
 */
export class ToldText {
  private text = '';
  private omitted = 0;
  private toldAt = -Infinity;

  constructor(
    private readonly progress: (value: Json) => void,
    private readonly monotonic: () => number,
  ) {}

  add(delta: string): void {
    // Before it is cut: half a secret would not be found.
    const { tail, omittedBytes } = boundTail(knownSecrets.mask(this.text + delta), TEXT_BYTES_MAX);
    this.text = tail;
    this.omitted += omittedBytes;
    if (this.monotonic() - this.toldAt < EVERY_MS) return;
    this.toldAt = this.monotonic();
    this.progress({ text: this.text, ...(this.omitted === 0 ? {} : { omittedBytes: this.omitted }) });
  }
}
