/** What has been opened so far, to be closed in reverse. */
export class Opened {
  private readonly closes: (() => unknown)[] = [];

  /** Opens something of several parts: when one of them fails, those before it are closed again. */
  static async all<T>(open: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = new Opened();
    try {
      return await open(opened);
    } catch (error) {
      // Why it could not be opened says more than what went wrong after it.
      await opened.close().catch(() => undefined);
      throw error;
    }
  }

  add<T>(part: T, close: (part: T) => unknown): T {
    this.closes.push(() => close(part));
    return part;
  }

  /** Everything, also where one of them cannot be closed; rejects with the first reason. */
  async close(): Promise<void> {
    const reasons: unknown[] = [];
    for (let close = this.closes.pop(); close !== undefined; close = this.closes.pop()) {
      try {
        await close();
      } catch (error) {
        reasons.push(error);
      }
    }
    if (reasons.length > 0) throw reasons[0];
  }
}
