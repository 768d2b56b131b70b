export { explainRun } from './explain.js';
export { explained, explanationText, type Explained, type Explanation, type ExplanationPart } from './explanation.js';
export { fates, ledgerOf, type Fate, type LedgerEntry, type LedgerRecord } from './ledger.js';
export { transcriptOf, type TranscriptCall, type TranscriptTurn } from './transcript.js';
export type { ExplainOptions } from './setting.js';
export { statuses, statusOf, type Status } from './status.js';
export { toldBy, type Told } from './told.js';
