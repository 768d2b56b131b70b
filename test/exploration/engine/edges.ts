/** Edges between numbered states, in little room. */
export class Edges {
  #from = new Int32Array(1 << 16);
  #to = new Int32Array(1 << 16);
  #count = 0;

  add(from: number, to: number): void {
    if (this.#count === this.#from.length) {
      this.#from = grown(this.#from);
      this.#to = grown(this.#to);
    }
    this.#from[this.#count] = from;
    this.#to[this.#count] = to;
    this.#count += 1;
  }

  /** Marks with 1 which of `states` states lead to one of `ends`. */
  backwardsFrom(ends: readonly number[], states: number): Uint8Array {
    const { offsets, sources } = this.#byTarget(states);
    const reaches = new Uint8Array(states);
    const left = [...ends];
    for (const end of left) reaches[end] = 1;
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (let i = offsets[at] as number; i < (offsets[at + 1] as number); i += 1) {
        const source = sources[i] as number;
        if (reaches[source] === 1) continue;
        reaches[source] = 1;
        left.push(source);
      }
    }
    return reaches;
  }

  #byTarget(states: number): { readonly offsets: Int32Array; readonly sources: Int32Array } {
    const offsets = new Int32Array(states + 1);
    for (let i = 0; i < this.#count; i += 1) offsets[(this.#to[i] as number) + 1]! += 1;
    for (let i = 0; i < states; i += 1) (offsets[i + 1] as number) += offsets[i] as number;
    const sources = new Int32Array(this.#count);
    const filled = offsets.slice();
    for (let i = 0; i < this.#count; i += 1) {
      const to = this.#to[i] as number;
      sources[filled[to] as number] = this.#from[i] as number;
      (filled[to] as number) += 1;
    }
    return { offsets, sources };
  }
}

const grown = (array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
};
