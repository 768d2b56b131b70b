import { isLaneEvent, type RunEvent, type RunEventData } from '@holdfast/events';
import { agentStepAt, modelReplySchema, ProgramError, type Json, type ModelCall, type Plan } from '@holdfast/programs';
import type { LedgerRecord } from './ledger.js';

/** One turn of an agent: what its model said, what followed, and what became of the calls, as far as history says. */
export type TranscriptTurn = {
  /** The path of the agent. */
  readonly agent: string;
  /** From 0. */
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly TranscriptCall[];
  readonly did: RunEventData<'TurnTaken'>['did'];
  readonly answer: Json | null;
  /** What the model is told about its answer, or why the agent has failed. */
  readonly problem: string | null;
  /** Turns that the model was shown, turns that were left out, and whether those are summed up. */
  readonly context: RunEventData<'TurnTaken'>['context'];
  readonly usage: RunEventData<'TurnTaken'>['usage'];
  readonly seq: number;
  readonly at: number;
};

export type TranscriptCall = {
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
  /** The step that was made of it; null where none was. */
  readonly stepId: string | null;
  readonly became: 'refused' | 'open' | 'in_doubt' | 'succeeded' | 'failed';
  /** The result, the failure, or why it was not made; null while nothing is known. */
  readonly said: Json;
};

type Ended = Pick<TranscriptCall, 'became' | 'said'>;

/**
 * What the agents of a run did, turn by turn, out of its whole history. Nothing is left out, whatever their models were
 * shown.
 */
export const transcriptOf = (records: readonly LedgerRecord[]): readonly TranscriptTurn[] => {
  const ended = endsOf(records);
  const replies = new Map<string, Json>();
  let plan: Plan | null = null;
  return records.flatMap(({ event, lane, time }): readonly TranscriptTurn[] => {
    if (event.type === 'RunAccepted') plan = event.data.program;
    if (event.type === 'StepSucceeded' && isModelStep(plan, event.data.stepId)) {
      replies.set(event.data.stepId, (event.data.result ?? null) as Json);
    }
    if (event.type !== 'TurnTaken') return [];
    const { stepId: agent, turn } = event.data;
    const reply = modelReplySchema.safeParse(replies.get(`${agent}[${turn}].model`)).data;
    const told = { seq: lane.seq, at: Date.parse(time) };
    return [{ ...turnOf(event.data, reply?.text ?? '', callsOf(event.data, reply?.calls ?? [], ended)), ...told }];
  });
};

const isModelStep = (plan: Plan | null, stepId: string): boolean => {
  try {
    return plan !== null && agentStepAt(plan, stepId)?.name === 'model';
  } catch (error) {
    if (error instanceof ProgramError) return false;
    throw error;
  }
};

const turnOf = (
  data: RunEventData<'TurnTaken'>,
  text: string,
  calls: readonly TranscriptCall[],
): Omit<TranscriptTurn, 'seq' | 'at'> => {
  const { stepId: agent, turn, did, answer, problem, context, usage } = data;
  const said = problem === undefined ? null : `${problem.message} (${problem.code})`;
  return { agent, turn, text, calls, did, answer: (answer ?? null) as Json, problem: said, context, usage };
};

const callsOf = (
  { stepId: agent, turn, calls = [] }: RunEventData<'TurnTaken'>,
  asked: readonly ModelCall[],
  ended: ReadonlyMap<string, Ended>,
): readonly TranscriptCall[] =>
  calls.map((decided, at) => {
    const { name = '', arguments: args = '' } = asked[at] ?? {};
    const base = { name, arguments: args };
    if ('refused' in decided) return { ...base, stepId: null, became: 'refused', said: decided.message };
    const stepId = `${agent}[${turn}].${decided.step}`;
    return { ...base, stepId, ...(ended.get(stepId) ?? { became: 'open', said: null }) };
  });

/** What became of each step that is over, or in doubt. */
const endsOf = (records: readonly LedgerRecord[]): ReadonlyMap<string, Ended> => {
  const ends = new Map<string, Ended>();
  const waiting = new Map<string, readonly string[]>();
  for (const { event } of records) {
    if (isLaneEvent(event)) continue;
    note(ends, event);
    noteRun(ends, waiting, event);
  }
  return ends;
};

const note = (ends: Map<string, Ended>, event: RunEvent): void => {
  if (event.type === 'StepSucceeded') {
    const { stepId, result, omitted } = event.data;
    ends.set(stepId, { became: 'succeeded', said: (omitted ?? result ?? null) as Json });
  } else if (event.type === 'StepFailed' && event.data.final) {
    const { stepId, failure } = event.data;
    ends.set(stepId, { became: 'failed', said: `${failure.message} (${failure.code})` });
  } else if (event.type === 'DoubtOpened') {
    ends.set(event.data.stepId, { became: 'in_doubt', said: null });
  } else if (event.type === 'DoubtSettled' && event.data.verdict !== 'applied') {
    ends.set(event.data.stepId, { became: 'open', said: null });
  }
};

/** Steps that begin runs end with them. */
const noteRun = (ends: Map<string, Ended>, waiting: Map<string, readonly string[]>, event: RunEvent): void => {
  if (event.type === 'ChildStarted' || event.type === 'ChildAttached') {
    const { childRunId, stepId } = event.data;
    waiting.set(childRunId, [...(waiting.get(childRunId) ?? []), stepId]);
  } else if (event.type === 'ChildLeft') {
    const { childRunId, stepId } = event.data;
    ends.set(stepId, { became: 'succeeded', said: { runId: childRunId, status: 'running' } });
    waiting.set(
      childRunId,
      (waiting.get(childRunId) ?? []).filter((id) => id !== stepId),
    );
  } else if (event.type === 'ChildEnded') {
    const { childRunId, reason, detail, output } = event.data;
    for (const stepId of waiting.get(childRunId) ?? []) {
      if (reason === 'succeeded') ends.set(stepId, { became: 'succeeded', said: (output ?? null) as Json });
      else ends.set(stepId, { became: 'failed', said: `${detail} (${reason})` });
    }
    waiting.delete(childRunId);
  }
};
