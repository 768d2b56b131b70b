/**
 * A signal that follows others until it is released. The SDK never stops listening to the signal of a request, and tells
 * the server of a cancel whenever it fires, also long after the answer has come.
 */
export class Following {
  private readonly own = new AbortController();
  private readonly follow = (): void => this.own.abort(this.others.find(({ aborted }) => aborted)?.reason);
  private readonly others: readonly AbortSignal[];

  constructor(...others: readonly AbortSignal[]) {
    this.others = others;
    for (const other of others) other.addEventListener('abort', this.follow);
    if (others.some(({ aborted }) => aborted)) this.follow();
  }

  get signal(): AbortSignal {
    return this.own.signal;
  }

  abort(reason: unknown): void {
    this.own.abort(reason);
  }

  release(): void {
    for (const other of this.others) other.removeEventListener('abort', this.follow);
  }
}
