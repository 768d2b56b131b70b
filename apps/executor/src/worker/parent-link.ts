import type { CallBegun, Position, ToParent } from '../channel/channel.js';

/** What goes to the parent often: calls as they begin, their ends and positions in few messages. */
export class ParentLink {
  private ended: string[] = [];
  private readonly positions = new Map<string, Position>();

  constructor(readonly tell: (message: ToParent) => void) {}

  /** To be told before the calls begin. */
  begin(begun: readonly CallBegun[]): void {
    this.tell({ type: 'calls', begun, ended: this.ended });
    this.ended = [];
  }

  end(attemptId: string): void {
    this.ended.push(attemptId);
  }

  position(position: Position): void {
    this.positions.set(`${position.queue}#${position.partition}`, position);
  }

  flush(): void {
    if (this.ended.length > 0) this.begin([]);
    if (this.positions.size === 0) return;
    this.tell({ type: 'positions', positions: [...this.positions.values()] });
    this.positions.clear();
  }
}
