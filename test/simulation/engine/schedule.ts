type Event = { readonly due: number; readonly order: number; readonly run: () => void };

/** What is to happen, in order of virtual time: a binary heap. Equal times go in the order of asking. */
export class Schedule {
  /** Virtual ms since the start. */
  now = 0;
  private readonly heap: Event[] = [];
  private order = 0;

  after(ms: number, run: () => void): void {
    const { heap } = this;
    heap.push({ due: this.now + Math.max(0, ms), order: this.order++, run });
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Lets the next thing happen; false when nothing is left. */
  step(): boolean {
    const event = this.takeFirst();
    if (event === undefined) return false;
    this.now = event.due;
    event.run();
    return true;
  }

  private takeFirst(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const least = left + 1 < heap.length && this.isBefore(left + 1, left) ? left + 1 : left;
      if (least >= heap.length || !this.isBefore(least, at)) return first;
      this.swap(at, least);
      at = least;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [one, other] = [this.heap[a] as Event, this.heap[b] as Event];
    return one.due < other.due || (one.due === other.due && one.order < other.order);
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b] as Event, heap[a] as Event];
  }
}

/** Fulfilled when everything that was set in motion has run as far as it can without time passing. */
export const settled = async (): Promise<void> => {
  // Twice: work of one turn may ask for the end of that turn.
  await new Promise<void>((resolve) => void setImmediate(resolve));
  await new Promise<void>((resolve) => void setImmediate(resolve));
};
