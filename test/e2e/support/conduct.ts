export type { Conduct, LedgerAnswer, LedgerCall, LedgerEntry, LedgerRequest, LedgerState } from '@holdfast/matrix';
