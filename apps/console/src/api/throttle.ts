type Rest = { readonly until: number; again: boolean; timer: ReturnType<typeof setTimeout> };

/**
 * Calls at once, and then at most every so many ms per key, the last time after the last call. Where it could not act
 * (`false`) it tries again after that time. A call that waits less long than the one before shortens the pause.
 */
export class Throttle {
  private readonly resting = new Map<string, Rest>();

  constructor(private readonly act: (key: string) => boolean) {}

  call(key: string, everyMs: number): void {
    const rest = this.resting.get(key);
    if (rest === undefined) {
      this.rest(key, everyMs, !this.act(key));
      return;
    }
    rest.again = true;
    if (Date.now() + everyMs >= rest.until) return;
    clearTimeout(rest.timer);
    this.rest(key, everyMs, true);
  }

  close(): void {
    for (const { timer } of this.resting.values()) clearTimeout(timer);
    this.resting.clear();
  }

  private rest(key: string, everyMs: number, again: boolean): void {
    const timer = setTimeout(() => this.over(key, everyMs), everyMs);
    this.resting.set(key, { until: Date.now() + everyMs, again, timer });
  }

  private over(key: string, everyMs: number): void {
    const again = this.resting.get(key)?.again ?? false;
    this.resting.delete(key);
    if (again) this.call(key, everyMs);
  }
}
