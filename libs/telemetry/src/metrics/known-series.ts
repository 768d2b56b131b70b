import { decodeCodes } from '@holdfast/contracts';
import { doubtCauses, endReasons } from '@holdfast/events';
import type { CounterName, LabelsOf } from './table.js';

const each = <L extends string>(label: L, values: readonly string[]): readonly { readonly [K in L]: string }[] =>
  values.map((value) => ({ [label]: value }) as { readonly [K in L]: string });

type Known = { readonly [N in CounterName]?: readonly LabelsOf<N>[] };

/**
 * Series that stand at 0 from the start. A counter that appears with its first event has not grown, as Prometheus sees it:
 * an alert would miss the first dead letter.
 */
export const KNOWN: Known = {
  holdfast_runs_ended_total: each('reason', endReasons),
  holdfast_steps_total: each('outcome', ['succeeded', 'failed']),
  holdfast_attempts_total: each('outcome', ['succeeded', 'failed', 'skipped', 'closed', 'in_doubt']),
  holdfast_doubts_opened_total: doubtCauses.flatMap((cause) =>
    ['run', 'step', 'none'].map((holds) => ({ cause, holds })),
  ),
  holdfast_doubts_settled_total: ['reconciler', 'outcome', 'person', 'policy', 'log'].flatMap((by) =>
    ['applied', 'absent', 'rerun'].map((verdict) => ({ verdict, by })),
  ),
  holdfast_requests_total: each('outcome', ['accepted', 'refused', 'unchanged']),
  holdfast_sessions_ended_total: each('how', ['clean', 'unclean']),
  holdfast_budget_exhausted_total: each('policy', ['end', 'ask']),
  holdfast_worker_exits_total: each('cause', ['stopped', 'exited', 'killed']),
  holdfast_claims_total: each('outcome', ['won', 'lost']),
  holdfast_verdicts_total: each('verdict', ['applied', 'absent', 'unknown']),
  holdfast_dead_letters_total: each('code', decodeCodes),
  holdfast_spans_total: each('outcome', ['exported', 'dropped', 'failed']),
};
