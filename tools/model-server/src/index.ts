import { fileURLToPath } from 'node:url';

export type { Ended, LedgerEntry, Outcome } from './ledger.js';
export {
  isFault,
  type Asked,
  type EndpointName,
  type Script,
  type ScriptedCall,
  type ScriptedFault,
  type ScriptedReply,
  type Usage,
} from './script.js';
export {
  startModelServer,
  type Billed,
  type ModelServer,
  type ModelServerOptions,
  type SeenRequest,
} from './server.js';

/** The server as a program: `node <this> --script FILE.mjs --port N --ledger FILE`. */
export const modelServerProgram = fileURLToPath(new URL('../dist/main.js', import.meta.url));
