import {
  absent,
  applied,
  InvalidTool,
  ToolFailure,
  unknown,
  type Retry,
  type Tool,
  type ToolContext,
  type ToolVerdict,
} from '@holdfast/sdk';
import { escapeIdentifier, type Client } from 'pg';
import { z } from 'zod';
import { defineProbe, type Mark, type ProbeSettings } from '../probe.js';
import { stoppable, whileNotStopped } from '../while-not-stopped.js';
import { boundTransaction, withClient } from './connection.js';

export type InsertRow<Input extends z.ZodType<object>> = ProbeSettings & {
  /** `postgres://user:password@host:5432/database`: the primary, not a replica. */
  readonly connection: string;
  /** `table` or `schema.table`. */
  readonly table: string;
  /** A text column that alone has a unique index; it holds the step's marker. */
  readonly keyColumn: string;
  readonly input: Input;
  /** The columns that arguments of the same name fill. */
  readonly columns: readonly string[];
  /** The columns of the result; default `keyColumn` alone. */
  readonly returning?: readonly string[] | undefined;
};

const output = z.record(z.string(), z.json());
type Row = z.output<typeof output>;

const DEFAULTS = { timeoutMs: 10_000, settleMs: 5_000 } as const;

/**
 * Inserts a row, once for each step: a unique column holds the step's marker. Settle window 5 s: the server itself ends the
 * transaction when the call's time is over (`transaction_timeout`, PostgreSQL 17 and newer; before, as soon as its client
 * has been idle for so long), so what lands later is a commit that had arrived by then.
 */
export const insertRow = <Input extends z.ZodType<object>>(
  settings: InsertRow<Input>,
): Tool<z.output<Input>, z.input<typeof output>> => {
  checkSettings(settings);
  const table = new Table(settings);
  const { connection } = settings;
  return defineProbe(settings, {
    ...DEFAULTS,
    input: settings.input,
    output,
    act: (args, context, mark) =>
      stoppable(
        context,
        (guard) =>
          withClient(connection, context, (client) =>
            new Insertion(client, table, mark).make(args, { context, guard }),
          ),
        (error) => table.failure(error),
      ),
    look: (_, question, mark) =>
      whileNotStopped(
        question.signal,
        withClient(connection, question, (client) => new Insertion(client, table, mark).look()),
      ),
  });
};

const checkSettings = ({ name, version, table, keyColumn, columns }: InsertRow<z.ZodType<object>>): void => {
  const refuse = (problem: string): never => {
    throw new InvalidTool(`tool ${name}@${version}: ${problem}`);
  };
  if (!/^[^.]+(\.[^.]+)?$/.test(table)) refuse(`table "${table}" must be written table or schema.table`);
  if (columns.includes(keyColumn)) refuse(`${keyColumn} holds the key of the step: take it out of columns`);
};

/** The statements about one table. Names are the user's, values are never a part of them. */
class Table {
  readonly name: string;
  readonly select: string;
  private readonly into: string;
  private readonly key: string;
  private readonly result: string;
  private readonly columns: readonly string[];

  constructor({ table, keyColumn, columns, returning = [keyColumn] }: InsertRow<z.ZodType<object>>) {
    this.name = table;
    this.columns = columns;
    this.into = table.split('.').map(escapeIdentifier).join('.');
    this.key = escapeIdentifier(keyColumn);
    this.result = returning.map(escapeIdentifier).join(', ');
    this.select = `SELECT ${this.result} FROM ${this.into} WHERE ${this.key} = $1`;
  }

  /** A column without an argument keeps its default. */
  insertOf(args: object, marker: string): { readonly text: string; readonly values: readonly unknown[] } {
    const given = Object.entries(args).filter(([name, value]) => this.columns.includes(name) && value !== undefined);
    const names = [this.key, ...given.map(([name]) => escapeIdentifier(name))];
    const places = names.map((_, index) => `$${index + 1}`);
    const text = `INSERT INTO ${this.into} (${names.join(', ')}) VALUES (${places.join(', ')})
      ON CONFLICT (${this.key}) DO NOTHING RETURNING ${this.result}`;
    return { text, values: [marker, ...given.map(([, value]) => valueOf(value))] };
  }

  /** What an error means before anything is committed. */
  failure(error: PgError): ToolFailure {
    const code = error.code ?? 'not_inserted';
    const hint = code === '42P10' ? ' (its key column needs a unique index of its own)' : '';
    const message = `nothing was inserted into ${this.name}: ${error.message}${hint}`;
    return new ToolFailure(message, { code, retry: retryFor(code), effect: 'none', cause: error });
  }
}

/** Lists and objects as JSON, for columns of type json and jsonb. */
const valueOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

type Making = { readonly context: ToolContext; readonly guard: () => void };

class Insertion {
  constructor(
    private readonly client: Client,
    private readonly table: Table,
    private readonly mark: Mark,
  ) {}

  async make(args: object, { context, guard }: Making): Promise<Row> {
    const { row, isNew } = await this.prepare(args, context.deadline - Date.now());
    if (!isNew) return row;
    guard();
    await this.commit();
    return row;
  }

  async look(): Promise<ToolVerdict<Row>> {
    const { rows } = await this.client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    if (rows[0]?.standby !== false) return unknown('this is a replica, which may lag: the primary must be asked');
    const row = await this.find();
    const what = `row of ${this.table.name} with the key ${this.mark.marker}`;
    return row === null ? absent(`there is no ${what}`) : applied(row, `there is a ${what}`);
  }

  private async prepare(args: object, msMax: number): Promise<{ readonly row: Row; readonly isNew: boolean }> {
    await this.client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await boundTransaction(this.client, msMax);
    // Waits for another attempt of the same step that is in the middle of this.
    const { text, values } = this.table.insertOf(args, this.mark.marker);
    const { rows } = await this.client.query<Row>(text, [...values]);
    if (rows[0] !== undefined) return { row: plain(rows[0]), isNew: true };
    const row = await this.find();
    if (row === null) throw new Error(`the key ${this.mark.marker} is taken by a row that cannot be seen`);
    return { row, isNew: false };
  }

  private async find(): Promise<Row | null> {
    const { rows } = await this.client.query<Row>(this.table.select, [this.mark.marker]);
    return rows[0] === undefined ? null : plain(rows[0]);
  }

  private async commit(): Promise<void> {
    try {
      const { command } = await this.client.query('COMMIT');
      if (command === 'COMMIT') return;
    } catch (error) {
      // The server has looked at it and has rolled it back; of anything else nobody knows.
      if (isRolledBack(error as PgError)) throw this.table.failure(error as PgError);
      throw error;
    }
    throw this.table.failure(new Error('the transaction was rolled back'));
  }
}

type PgError = Error & { readonly code?: string };

/** Constraints that are checked at the end, and what a server takes back so that others can go on. */
const isRolledBack = ({ code = '' }: PgError): boolean => /^(23|40)/.test(code) && code !== '40003';

/** Data, constraints, missing rights and names do not mend themselves. */
const retryFor = (code: string): Retry => (/^(0A|22|23|28|3D|3F|42)/.test(code) ? 'never' : 'later');

const plain = (row: Row): Row => JSON.parse(JSON.stringify(row)) as Row;
