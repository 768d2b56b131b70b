/** What happened, in words, with the virtual time of each thing. */
export class Trace {
  readonly lines: string[] = [];

  constructor(private readonly now: () => number) {}

  note(text: string): void {
    this.lines.push(`${(this.now() / 1_000).toFixed(3).padStart(8)} s  ${text}`);
  }
}
