/**
 * Calls at once, and then at most every so many ms per key, the last time after the last call. Where it could not act
 * (`false`) it tries again after that time.
 */
export class Throttle {
  private readonly resting = new Map<string, { again: boolean; timer: ReturnType<typeof setTimeout> }>();

  constructor(private readonly act: (key: string) => boolean) {}

  call(key: string, everyMs: number): void {
    const rest = this.resting.get(key);
    if (rest !== undefined) {
      rest.again = true;
      return;
    }
    const again = !this.act(key);
    const timer = setTimeout(() => this.over(key, everyMs), everyMs);
    this.resting.set(key, { again, timer });
  }

  close(): void {
    for (const { timer } of this.resting.values()) clearTimeout(timer);
    this.resting.clear();
  }

  private over(key: string, everyMs: number): void {
    const again = this.resting.get(key)?.again ?? false;
    this.resting.delete(key);
    if (again) this.call(key, everyMs);
  }
}
