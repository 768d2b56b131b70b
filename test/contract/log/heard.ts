import type { LogRecord, TailBatch, TailHandler } from '@holdfast/log';

/** Everything a tail told, with a way to wait for a condition on it. */
export class Heard implements TailHandler {
  readonly batches: TailBatch[] = [];
  readonly outOfRanges: (readonly [string, number, number, { start: number; end: number }])[] = [];
  readonly troubles: string[] = [];
  private readonly waits = new Set<() => void>();

  batch(batch: TailBatch): void {
    this.batches.push(batch);
    this.check();
  }

  outOfRange(topic: string, partition: number, offset: number, bounds: { start: number; end: number }): void {
    this.outOfRanges.push([topic, partition, offset, bounds]);
    this.check();
  }

  trouble(detail: string): void {
    this.troubles.push(detail);
    this.check();
  }

  records(partition: number): readonly LogRecord[] {
    return this.batches.filter((batch) => batch.partition === partition).flatMap(({ records }) => records);
  }

  /** Fulfilled when the condition holds; the test's own time-out bounds it. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.waits.delete(check);
        resolve();
      };
      this.waits.add(check);
      check();
    });
  }

  private check(): void {
    for (const wait of this.waits) wait();
  }
}
