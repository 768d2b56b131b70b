import type { Json } from '../json.js';
import type { NodeProgress } from '../progress.js';
import { ProgramError } from '../program-error.js';
import { isJsonObject } from '../template.js';
import type { AgentSettings } from './agent.js';
import { newAgent, type AgentCall, type AgentPlace, type AgentProgress } from './agent.state.js';
import { nextRequest, turnOf, withSummary } from './context.js';
import { argumentsOf, isRefusedWhole, type TurnDecision } from './judge.js';
import { modelReplySchema, type ModelCall, type ModelMessage, type ModelReply } from './model.js';
import { foundText, leftText, neverKnownText, resultText, TOLD } from './texts.js';

/** What happens to a step of an agent. */
export type Move =
  | { readonly kind: 'opened' }
  | { readonly kind: 'succeeded'; readonly result: Json }
  /** The run that it has begun goes on. */
  | { readonly kind: 'left'; readonly runId: string }
  /** `mayHaveActed`: nobody will find out whether it has. */
  | { readonly kind: 'failed'; readonly why: string; readonly mayHaveActed?: true }
  /** It may have acted, and nobody can say yet. */
  | { readonly kind: 'doubted' };

/** The agent after something has happened to one of its steps. An agent that is done no longer changes. */
// oxlint-disable-next-line max-params -- the agent, where it stands, what happens and where
export const moveAgent = (
  agent: AgentSettings,
  before: NodeProgress | undefined,
  place: AgentPlace,
  move: Move,
): NodeProgress => {
  const progress = before ?? newAgent;
  if (progress.status !== 'agent') return progress;
  const { phase, turn } = progress;
  if (place.name === 'model' && phase.name === 'model' && turn === place.turn) return moveModel(progress, move);
  if (place.name === 'summary' && phase.name === 'summary' && turn === place.turn) {
    return moveSummary(agent, progress, move);
  }
  const isCall = (call: AgentCall): boolean => call.turn === place.turn && call.step === place.name;
  if (phase.name === 'calls') {
    const call = phase.calls.find(isCall);
    if (call !== undefined) return moveCall(agent, progress, call, move);
  }
  const late = progress.late.find(isCall);
  if (late !== undefined) return moveLate(agent, progress, late, move);
  throw new ProgramError(`${place.name} is no open step of turn ${place.turn}, the agent is at turn ${turn}`);
};

const moveModel = (progress: AgentProgress, move: Move): NodeProgress => {
  switch (move.kind) {
    case 'succeeded':
      return { ...progress, phase: { name: 'replied', reply: replyOf(move.result) } };
    case 'failed':
      return gone(progress);
    case 'opened':
      return { ...progress, phase: { name: 'model', open: true } };
    default:
      return progress;
  }
};

/** A reply that is none says nothing; of one that was too large to be kept nothing is known but that it was too long. */
const replyOf = (result: Json): ModelReply => {
  const read = modelReplySchema.safeParse(result);
  if (read.success) return read.data;
  const isOmitted = isJsonObject(result) && result['omitted'] === true;
  return { text: '', calls: [], finish: isOmitted ? 'length' : 'other', usage: { tokensIn: 0, tokensOut: 0 } };
};

const moveSummary = (agent: AgentSettings, progress: AgentProgress, move: Move): NodeProgress => {
  if (move.kind === 'opened') return { ...progress, phase: { name: 'summary', open: true } };
  if (move.kind === 'doubted') return progress;
  return withSummary(agent, progress, move.kind === 'succeeded' ? replyOf(move.result).text : null);
};

// oxlint-disable-next-line max-params -- the agent, where it stands, the call and what happens to it
const moveCall = (agent: AgentSettings, progress: AgentProgress, call: AgentCall, move: Move): NodeProgress => {
  const next = moved(call, move, agent);
  const { phase } = progress;
  if (next === call || phase.name !== 'calls') return progress;
  const calls = phase.calls.map((known) => (known === call ? next : known));
  return closeTurn(agent, { ...begunWith(progress, call, move), phase: { ...phase, calls } });
};

const moved = (call: AgentCall, move: Move, agent: AgentSettings): AgentCall => {
  switch (move.kind) {
    case 'opened':
      return { ...call, status: 'open' };
    case 'succeeded':
      return { ...call, status: 'done', text: resultText(move.result) };
    case 'left':
      return { ...call, status: 'done', text: leftText(move.runId) };
    case 'failed':
      if (move.mayHaveActed) return { ...call, status: 'done', text: neverKnownText(move.why) };
      return { ...call, status: 'done', text: move.why, failed: true };
    case 'doubted':
      return agent.onDoubt === 'tell' ? { ...call, status: 'told', text: TOLD } : call;
  }
};

const begunWith = (progress: AgentProgress, { name, args }: AgentCall, move: Move): AgentProgress => {
  if (move.kind !== 'left') return progress;
  const { runId } = move;
  const begun = progress.begun.filter((run) => run.runId !== runId);
  return { ...progress, begun: [...begun, { name, args, runId }] };
};

// oxlint-disable-next-line max-params -- the agent, where it stands, the call and what happens to it
const moveLate = (agent: AgentSettings, progress: AgentProgress, call: AgentCall, move: Move): NodeProgress => {
  // What begins a run is never in doubt.
  if (move.kind !== 'succeeded' && move.kind !== 'failed') return progress;
  const late = progress.late.filter((known) => known !== call);
  const next: AgentProgress = { ...progress, late, found: [...progress.found, foundText(call, saidOf(move))] };
  if (late.length > 0) return next;
  if (next.phase.name === 'failing') return { status: 'failed' };
  return next.phase.name === 'settling' ? afterAnswer(agent, next, next.phase.reply) : next;
};

const saidOf = (move: Extract<Move, { kind: 'succeeded' | 'failed' }>): string => {
  if (move.kind === 'succeeded') return `it was made. Result: ${resultText(move.result)}`;
  return move.mayHaveActed ? neverKnownText(move.why) : `it has failed: ${move.why}`;
};

/** The turn is over once each of its calls is answered. */
const closeTurn = (agent: AgentSettings, progress: AgentProgress): AgentProgress => {
  const { phase } = progress;
  if (phase.name !== 'calls' || phase.calls.some(({ status }) => status === 'ready' || status === 'open')) {
    return progress;
  }
  const answers = phase.calls.map(({ id, name, text = '', failed, status }): ModelMessage => ({
    role: 'tool',
    callId: id,
    name,
    text,
    ...(failed === true || status === 'refused' ? { failed: true } : {}),
  }));
  const late = [...progress.late, ...phase.calls.filter(({ status }) => status === 'told')];
  return finishTurn(agent, { ...progress, late }, phase.reply, answers);
};

// oxlint-disable-next-line max-params -- the agent, where it stands, the reply and what follows it
const finishTurn = (
  agent: AgentSettings,
  progress: AgentProgress,
  reply: ModelReply,
  answers: readonly ModelMessage[],
): AgentProgress => {
  const news: readonly ModelMessage[] = progress.found.map((text) => ({ role: 'user', text }));
  const said: ModelMessage = { role: 'assistant', text: reply.text, calls: callsOf(reply, progress.turn) };
  // What says nothing at all is no message that an endpoint takes.
  const replied = reply.text === '' && reply.calls.length === 0 ? [] : [said];
  const over = turnOf(agent, progress.turn, [...replied, ...answers, ...news]);
  return nextRequest(
    agent,
    { ...progress, found: [], turn: progress.turn + 1, turns: [...progress.turns, over] },
    reply,
  );
};

/** The calls of a reply with ids that are all different, as an answer to each needs. */
const callsOf = ({ calls }: ModelReply, turn: number): ModelCall[] =>
  calls.map((call, at) => {
    const isOwn = call.id !== '' && calls.findIndex(({ id }) => id === call.id) === at;
    return isOwn ? call : { ...call, id: `call_${turn}_${at}` };
  });

const afterAnswer = (agent: AgentSettings, progress: AgentProgress, reply: ModelReply): AgentProgress =>
  finishTurn(agent, progress, reply, []);

const gone = (progress: AgentProgress): NodeProgress =>
  progress.late.length === 0 ? { status: 'failed' } : { ...progress, phase: { name: 'failing' } };

/** The agent after what follows from its reply was decided. */
export const takeTurn = (agent: AgentSettings, progress: AgentProgress, decision: TurnDecision): NodeProgress => {
  const { phase, turn } = progress;
  if (phase.name !== 'replied') throw new ProgramError(`turn ${turn} has no reply about which something is decided`);
  const { reply } = phase;
  switch (decision.did) {
    case 'failed':
      return gone(progress);
    case 'answered': {
      if (decision.answer !== undefined) return { status: 'succeeded', result: decision.answer };
      const settling: AgentProgress = { ...progress, repairs: 0, phase: { name: 'settling', reply } };
      return progress.late.length === 0 ? afterAnswer(agent, settling, reply) : settling;
    }
    case 'repaired': {
      const told: ModelMessage = { role: 'user', text: decision.problem.message };
      return finishTurn(agent, { ...progress, repairs: progress.repairs + 1 }, reply, [told]);
    }
    case 'called': {
      const repairs = isRefusedWhole(decision) ? progress.repairs + 1 : 0;
      const calls = callsOf(reply, turn).map((call, at) => called(call, decision.calls[at], turn));
      return closeTurn(agent, { ...progress, repairs, phase: { name: 'calls', reply, calls } });
    }
  }
};

type Decided = Extract<TurnDecision, { did: 'called' }>['calls'][number] | undefined;

const called = (call: ModelCall, decided: Decided, turn: number): AgentCall => {
  const { id, name } = call;
  const base = { turn, id, name };
  if (decided === undefined) throw new ProgramError(`nothing is decided about the call ${id} of turn ${turn}`);
  if ('refused' in decided) return { ...base, step: '', args: null, status: 'refused', text: decided.message };
  const args = argumentsOf(call);
  return { ...base, step: decided.step, args: 'value' in args ? args.value : null, status: 'ready' };
};

/** The agent is told that a run that it has begun, and that has gone on, is over. */
export const runEnded = (progress: AgentProgress, runId: string, said: string): AgentProgress => {
  if (!progress.begun.some((run) => run.runId === runId)) return progress;
  const begun = progress.begun.filter((run) => run.runId !== runId);
  return { ...progress, begun, found: [...progress.found, `The run ${runId} that you have begun has ended: ${said}`] };
};
