import { z } from 'zod';

/** The word by which something is asked for without a bound; nothing else means that. */
export const UNLIMITED = 'unlimited';

/** `null` stands for the default; what is absent stands for it too. Zero means none. */
const count = (most: number, what: string) =>
  z
    .union([z.int().min(0).max(most), z.literal(UNLIMITED)], {
      error: `must be ${what} from 0 to ${most}, "${UNLIMITED}", or null for the default`,
    })
    .nullable()
    .optional();
const number = count(Number.MAX_SAFE_INTEGER, 'a whole number');
const DURATION_MS_MAX = 365 * 86_400_000;

const DECIMAL = /^(0|[1-9]\d{0,17})(\.\d{1,9})?$/;
const CURRENCY = /^[A-Z][A-Z0-9]{2,9}$/;

/** Money as text, so that no amount is rounded on its way. */
export const decimalSchema = z.string().regex(DECIMAL, 'must be a decimal number as text, such as "12.34"');
export const currencySchema = z.string().regex(CURRENCY, 'must be a currency such as "EUR"');
export const moneySchema = z.strictObject({ amount: decimalSchema, currency: currencySchema });

const TOOLS_MAX = 256;
const callsOfTool = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,99}(@[A-Za-z0-9][A-Za-z0-9_.-]{0,31})?$/, 'must be a tool or tool@version');
const calls = z.union(
  [
    z.int().min(0).max(Number.MAX_SAFE_INTEGER),
    z.literal(UNLIMITED),
    z
      .record(callsOfTool, z.union([z.int().min(0).max(Number.MAX_SAFE_INTEGER), z.literal(UNLIMITED)]))
      .refine((all) => Object.keys(all).length <= TOOLS_MAX),
  ],
  {
    error:
      `must be a whole number from 0, "${UNLIMITED}", null for the default, ` +
      `or such numbers by tool or tool@version, at most ${TOOLS_MAX}`,
  },
);

/** What a run may use. Bad values are refused by the name of their field; nothing is unlimited unless it is asked for. */
export const budgetSchema = z.strictObject({
  steps: number,
  /** Times that the models of its agents are asked. */
  turns: number,
  effects: number,
  children: number,
  calls: calls.nullable().optional(),
  tokensIn: number,
  tokensOut: number,
  money: z
    .union([moneySchema, z.literal(UNLIMITED)], {
      error: `must be { "amount": "12.34", "currency": "EUR" }, "${UNLIMITED}", or null for the default`,
    })
    .nullable()
    .optional(),
  /** How long the run may go without progress; waiting for a person does not count. */
  idleMs: count(DURATION_MS_MAX, 'a whole number of ms'),
  /** How deep children may have children; 0 allows none. */
  depth: z.int().min(0).max(64).nullable().optional(),
  /** What follows when something is used up: the run ends, or a person is asked for more. */
  onExhausted: z.enum(['end', 'ask']).nullable().optional(),
});
export type Budget = z.infer<typeof budgetSchema>;

/** What holds where a program asks for loops to be found and leaves something open. */
export const LOOPS = { repeatsMax: 6, cycleMax: 4, window: 64, onLoop: 'end' } as const;

/** When calls that bring nothing new are taken for a loop. Off unless a program or a submission asks for it. */
export const loopsSchema = z
  .strictObject({
    /** Calls that may repeat an earlier one with the same result before the loop is stopped; a warning comes at half. */
    repeatsMax: z.int().min(1).max(1_000).optional(),
    /** The longest cycle of calls that is looked for. */
    cycleMax: z.int().min(1).max(16).optional(),
    /** How many of the last calls are looked at. */
    window: z.int().min(2).max(256).optional(),
    onLoop: z.enum(['warn', 'end', 'ask']).optional(),
  })
  .refine(
    ({ repeatsMax = LOOPS.repeatsMax, cycleMax = LOOPS.cycleMax, window = LOOPS.window }) =>
      repeatsMax + cycleMax <= window,
    { path: ['window'], error: 'must hold a cycle of cycleMax calls and repeatsMax calls that repeat it' },
  );
export type Loops = z.infer<typeof loopsSchema>;
