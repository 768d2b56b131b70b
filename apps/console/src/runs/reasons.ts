import { runSummarySchema } from '@holdfast/api';
import { spoken } from '../parts/tone.js';

/** The reasons for which runs end, as the schema has them. */
export const endReasons: readonly { readonly value: string; readonly label: string }[] = runSummarySchema.shape.reason
  .unwrap()
  .options.map((value) => ({ value, label: spoken(value) }));
