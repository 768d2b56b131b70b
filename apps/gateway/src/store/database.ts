import type { Logger } from '@holdfast/sdk';
import type { DataSource } from 'typeorm';
import { dataSourceOf, type DatabaseOptions } from './data-source.js';
import { migrate } from './migrate.js';
import { StoreUnavailable } from './row-store.js';
import { isAway } from './rows.js';

export type DatabaseParts = DatabaseOptions & { readonly logger: Logger };

const NO_TABLE = '42P01';

/** The database, which may be away at any time, also when the gateway starts. Whoever asks is told so at once. */
export class Database {
  private ready: DataSource | null = null;
  private connecting: Promise<DataSource> | null = null;
  private trouble: string | null = 'not connected yet';
  private closed = false;
  private looking = false;

  constructor(private readonly parts: DatabaseParts) {}

  /** Why it cannot be asked, as far as is known; null while it can. */
  get problem(): string | null {
    return this.trouble;
  }

  /** The database, connected and with all tables; connects where that has not been done. Rejects with `StoreUnavailable`. */
  async connected(): Promise<DataSource> {
    if (this.closed) throw new StoreUnavailable('the gateway is stopping');
    if (this.ready !== null) return this.ready;
    this.connecting ??= this.connect().finally(() => (this.connecting = null));
    return this.connecting;
  }

  /** One query. Rejects with `StoreUnavailable` when the database is away. */
  async query<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    const source = await this.connected();
    try {
      return await source.query<T[]>(text, [...values]);
    } catch (error) {
      throw isAway(error) ? new StoreUnavailable(wordsOf(error), { cause: error }) : error;
    }
  }

  /** Asks whether it is there, so that `problem` says what is. */
  async look(): Promise<void> {
    if (this.looking) return this.note('it does not answer');
    this.looking = true;
    try {
      await (await this.connected()).query('SELECT FROM projections LIMIT 1');
      this.note(null);
    } catch (error) {
      this.note(wordsOf(error));
      if ((error as { code?: unknown }).code === NO_TABLE) await this.forget();
    } finally {
      this.looking = false;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.connecting?.catch(() => undefined);
    await this.ready?.destroy();
    this.ready = null;
  }

  /** Somebody has made the database anew: whoever connects next makes the tables. */
  private async forget(): Promise<void> {
    const source = this.ready;
    this.ready = null;
    await source?.destroy().catch(() => undefined);
  }

  private async connect(): Promise<DataSource> {
    const source = dataSourceOf(this.parts);
    try {
      await source.initialize();
      await migrate(source);
      this.ready = source;
      this.note(null);
      return source;
    } catch (error) {
      const detail = wordsOf(error);
      if (source.isInitialized) await source.destroy().catch(() => undefined);
      this.note(detail);
      throw new StoreUnavailable(detail, { cause: error });
    }
  }

  private note(trouble: string | null): void {
    if (trouble !== null && this.trouble !== trouble)
      this.parts.logger.warn({ detail: trouble }, 'the database is away');
    if (trouble === null && this.trouble !== null) this.parts.logger.info({}, 'the database is there');
    this.trouble = trouble;
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
