import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** One call of a tool on its way to a server. */
export type CallScope = {
  /** Throws where the call may not act any more; asked right before its first byte leaves. */
  readonly guard: () => void;
  readonly signal: AbortSignal;
  /** Whether its bytes may have left. */
  sent: boolean;
  /** The status that an HTTP server answered with, where it was no good one. */
  status?: number;
  /** Called when its answer can come no more; it may have come before. */
  closed?: (reason: string) => void;
};

const scopes = new AsyncLocalStorage<CallScope | undefined>();

/** The call that the present message is about; undefined for everything that is no call of a tool. */
export const scopeNow = (): CallScope | undefined => scopes.getStore();

/** Everything that follows from `work` is about this call. */
export const inScope = <T>(scope: CallScope, work: () => T): T => scopes.run(scope, work);

/** Other messages (a cancel, a ping, an answer to the server) leave in the same context and are no calls. */
export const callsOnly = <T extends Transport>(transport: T): T => {
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    isCall(message) ? send(message, options) : scopes.run(undefined, () => send(message, options));
  return transport;
};

const isCall = (message: JSONRPCMessage): boolean => 'method' in message && message.method === 'tools/call';
