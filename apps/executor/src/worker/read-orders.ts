import { commandKind, decode, type Command, type StepOrder } from '@holdfast/contracts';
import { argsHash } from '@holdfast/events';
import type { LogRecord } from '@holdfast/log';
import { sha256, type ToolSet } from '@holdfast/sdk';
import type { CommandRead } from '../session/session.messages.js';

export type UnreadCommand = { readonly record: LogRecord; readonly code: string; readonly problem: string };
type Where = { readonly queue: string; readonly partition: number };

/** The commands of a batch; what is none is handed to `unread` and keeps its place. */
export const readCommands = (
  where: Where,
  records: readonly LogRecord[],
  tools: ToolSet,
  unread: (unread: UnreadCommand) => void,
): CommandRead[] =>
  records.map((record) => {
    const decoded = decode(commandKind, record.value, record.headers);
    if (decoded.ok) return { offset: record.offset, orders: ordersOf(decoded.message, where, tools) };
    unread({ record, code: decoded.code, problem: decoded.problem });
    return { offset: record.offset, orders: null };
  });

const ordersOf = ({ data }: Command, where: Where, tools: ToolSet): CommandRead['orders'] => {
  const misplaced =
    data.queue === where.queue && data.partition === where.partition
      ? null
      : `the command belongs to ${data.queue} ${data.partition}, it was read from ${where.queue} ${where.partition}`;
  const chained = data.steps.length > 1 ? 'this executor does not run chains' : null;
  return data.steps.map((order) => ({
    order,
    lane: data.lane,
    refusal: misplaced ?? chained ?? refusalOf(order, tools),
  }));
};

/** Why this process cannot do the order, or null. */
export const refusalOf = (order: StepOrder, tools: ToolSet): string | null => {
  const tool = tools.get(order.tool);
  if (tool === undefined) return `tool ${order.tool} is not known here`;
  if (tool.catalogueEntry().hash !== order.toolHash) return `tool ${order.tool} is another one here, by its hash`;
  if (tool.policy !== order.policy) return `tool ${order.tool} is ${tool.policy} here, the order says ${order.policy}`;
  if (argsHash(sha256, order.args) !== order.argsHash)
    return 'the arguments are not the ones that the order was made for';
  return null;
};
