/** The history of one lane as a list of values; offsets are positions in it. */
export class FakeHistory {
  readonly values: Uint8Array[] = [];

  /** Appends a batch whole; answers the offset of its first record. */
  append(values: readonly Uint8Array[]): number {
    const offset = this.values.length;
    this.values.push(...values);
    return offset;
  }

  read(from: number) {
    const records = this.values.slice(from).map((value, index) => ({ offset: from + index, value }));
    return { records, next: this.values.length, end: this.values.length };
  }
}
