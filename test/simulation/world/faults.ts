import type { Fault, Loss, Scenario } from '../scenario/scenario.js';

/** Counts gates and appends, and says what is to happen there. */
export class Faults {
  private readonly gates = new Map<string, number>();
  private readonly appends = new Map<string, number>();
  /** How often each fate has met an append. */
  readonly lost = new Map<string, number>();
  private isOver = false;

  constructor(private readonly scenario: Pick<Scenario, 'faults' | 'losses' | 'gatewayFaults'>) {}

  /** From now on nothing happens any more. */
  end(): void {
    this.isOver = true;
  }

  at(process: string, gate: string): readonly Fault[] {
    if (this.isOver) return [];
    const nth = count(this.gates, `${process} ${gate}`);
    const { faults, gatewayFaults } = this.scenario;
    const all = process.startsWith('gateway') ? gatewayFaults : faults;
    return all.filter((fault) => fault.nth === nth && fault.gate === gate && fault.process === process);
  }

  lossOf(process: string, topic: string): Loss | undefined {
    if (this.isOver) return undefined;
    const nth = count(this.appends, `${process} ${topic}`);
    const found = this.scenario.losses.find(
      (loss) => loss.nth === nth && loss.topic === topic && loss.process === process,
    );
    if (found !== undefined) count(this.lost, found.fate);
    return found;
  }
}

const count = (counts: Map<string, number>, key: string): number => {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
};

/** The topic without its namespace and queue: `step-claims`. */
export const shortOf = (topic: string): string => topic.split('.')[1] ?? topic;
