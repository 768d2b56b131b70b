import { decode, toolsKind, type CatalogueEntry, type TopicNames } from '@holdfast/contracts';
import { toolRef } from '@holdfast/events';
import type { Log } from '@holdfast/log';
import { readToEnd } from '@holdfast/sdk';

/** The tools that executors have published, by `name@version`. The only place from which their policies are known. */
export class ToolCatalogue {
  readonly tools = new Map<string, CatalogueEntry>();
  #next: number | undefined;
  #reading: Promise<void> | null = null;

  constructor(
    readonly log: Log,
    readonly names: TopicNames,
  ) {}

  /** Reads what was published up to now. Rejects with `LogUnavailable` when nobody answers. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<void> {
    const from = this.#next === undefined ? {} : { from: this.#next };
    const place = { topic: this.names.tools, partition: 0 };
    this.#next = await readToEnd(
      this.log,
      place,
      ({ value }) => {
        const decoded = decode(toolsKind, value);
        // First offer of a version counts; an executor with another one refuses to start.
        if (decoded.ok && !this.tools.has(toolRef(decoded.message.data)))
          this.tools.set(toolRef(decoded.message.data), decoded.message.data);
      },
      { ...from, sparse: true },
    );
  }
}
