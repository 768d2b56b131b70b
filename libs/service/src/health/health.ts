/** What one part of a service says about itself; `detail` is for people and present when it is not ok. */
export type HealthCheck = {
  readonly ok: boolean;
  readonly detail?: string;
  readonly data?: Readonly<Record<string, unknown>>;
};

export type HealthReport = {
  readonly ready: boolean;
  /** Why it is not ready; empty when it is. */
  readonly reasons: readonly string[];
  readonly checks: Readonly<Record<string, HealthCheck>>;
};

/** Where the parts of a service say whether they can work. Provided by the shell; inject it and `contribute`. */
export class Health {
  private readonly checks = new Map<string, () => HealthCheck>();

  /** Adds a check, asked at each report; it must return at once. Returns how to take it away again. */
  contribute(name: string, check: () => HealthCheck): () => void {
    this.checks.set(name, check);
    return () => {
      if (this.checks.get(name) === check) this.checks.delete(name);
    };
  }

  report(): HealthReport {
    const checks = Object.fromEntries([...this.checks].map(([name, check]) => [name, asked(check)]));
    const reasons = Object.entries(checks).flatMap(([name, { ok, detail }]) =>
      ok ? [] : [`${name}: ${detail ?? 'not ok'}`],
    );
    return { ready: reasons.length === 0, reasons, checks };
  }
}

const asked = (check: () => HealthCheck): HealthCheck => {
  try {
    return check();
  } catch (error) {
    return { ok: false, detail: `the check itself failed: ${error instanceof Error ? error.message : String(error)}` };
  }
};
