import { absent, applied, defineTool, ToolFailure, unknown, type ToolContext, type ToolQuestion } from '@holdfast/sdk';
import { z } from 'zod';
import { fromEnvironment, OFFICE_URL } from './environment.js';

const input = z.object({ document: z.string().min(1), sha256: z.string().min(1), summary: z.string() });
const output = z.object({ receipt: z.string() });
type Filing = z.infer<typeof input>;

const TIMEOUT_MS = 5_000;
/** How long a request that has left may lie in the network and at the office before it is filed. */
const SETTLE_MS = 1_000;
const BUSY = 503;

/** Files a document at the records office, which neither drops repeats nor knows transactions, but can be asked. */
export const fileDocument = defineTool({
  name: 'file-document',
  version: '1',
  input,
  output,
  replay: { policy: 'verifiable', settleMs: SETTLE_MS },
  timeoutMs: TIMEOUT_MS,
  run: (filing, context) => file(filing, context),
  verify: (filing, question) => lookUp(filing, question),
});

/** The same call under a wrong word: as if filing twice did no harm. What is lost is then repeated without asking. */
export const fileDocumentUnsafely = defineTool({
  name: 'file-document',
  version: '1',
  input,
  output,
  replay: 'repeatable',
  timeoutMs: TIMEOUT_MS,
  run: (filing, context) => file(filing, context),
});

const file = async (filing: Filing, { key, attempt, fetch }: ToolContext): Promise<{ receipt: string }> => {
  // `fetch` asks `guard()` right before the first byte leaves.
  const response = await fetch(`${fromEnvironment(OFFICE_URL)}/records`, {
    method: 'POST',
    json: { ...filing, key, attempt },
    accept: [BUSY],
  });
  if (response.status === BUSY) {
    const message = 'the office was busy and says that it filed nothing';
    throw new ToolFailure(message, { code: 'office_busy', retry: 'later', effect: 'none' });
  }
  return output.parse(await response.json());
};

const record = z.object({ at: z.int(), document: z.string(), sha256: z.string(), receipt: z.string() });
const listing = z.object({ records: z.array(record) });

const lookUp = async (filing: Filing, { key, fetch }: ToolQuestion) => {
  const response = await fetch(`${fromEnvironment(OFFICE_URL)}/records?key=${encodeURIComponent(key)}`);
  const { records } = listing.parse(await response.json());
  const found = records[0];
  if (found === undefined) return absent(`the office has nothing under the key of ${filing.document}`);
  const details = { key, records };
  if (found.sha256 !== filing.sha256) {
    return unknown({ summary: `the office has another content under the key of ${filing.document}`, details });
  }
  const at = new Date(found.at).toISOString().slice(11, 23);
  return applied(
    { receipt: `found by key ${key}` },
    { summary: `the office filed ${filing.document} at ${at}`, details },
  );
};
