import { DEPTH_MAX, isDeeper, type Json } from '../json.js';
import { answerProblem } from '../validation/answer.js';
import { valueProblems } from '../validation/value.js';
import { isJsonObject } from '../template.js';
import { AGENT, isDelegated, nameOf, type AgentSettings, type AgentTool } from './agent.js';
import type { AgentProgress } from './agent.state.js';
import type { ModelCall, ModelReply } from './model.js';
import { offered } from './request.js';
import { bounded } from './texts.js';
import { sameJson } from '../same-json.js';

/** Why a call of a model is not made. Closed. */
export const callRefusals = [
  'unknown_tool',
  'malformed_arguments',
  'invalid_arguments',
  'too_many_calls',
  /** The same call may already have acted, and nobody can say yet. */
  'repeat_in_doubt',
] as const;
export type CallRefusal = (typeof callRefusals)[number];

export type CallDecision = { readonly step: string } | { readonly refused: CallRefusal; readonly message: string };

/** What follows from a reply of the model. */
export type TurnDecision =
  /** One decision for each call, in order. */
  | { readonly did: 'called'; readonly calls: readonly CallDecision[] }
  /** Without a value where calls are in doubt: then it is told what was found, and asked again. */
  | { readonly did: 'answered'; readonly answer?: Json }
  /** It is told what is wrong with its answer, and asked again. */
  | { readonly did: 'repaired'; readonly problem: Said }
  | { readonly did: 'failed'; readonly problem: Said };
type Said = { readonly code: string; readonly message: string };

const failed = (code: string, message: string): TurnDecision => ({ did: 'failed', problem: { code, message } });

/** What is decided about one reply must fit one decision. */
const CALLS_IN_REPLY_MAX = 256;
const MESSAGE_MAX = 1_000;

/** Decides about the reply that an agent in the phase `replied` has got. */
export const judgeReply = (agent: AgentSettings, progress: AgentProgress, reply: ModelReply): TurnDecision => {
  if (reply.finish === 'refusal') return failed('model_refused', `the model refuses: ${shown(reply)}`);
  if (reply.finish === 'filtered')
    return failed('model_filtered', `the reply was cut off by a filter: ${shown(reply)}`);
  if (reply.calls.length > CALLS_IN_REPLY_MAX) {
    return failed(
      'too_many_calls',
      `the reply asks for ${reply.calls.length} calls; at most ${CALLS_IN_REPLY_MAX} are looked at`,
    );
  }
  const decision = reply.calls.length > 0 ? judgeCalls(agent, progress, reply) : judgeAnswer(agent, progress, reply);
  const isMistake = decision.did === 'repaired' || isRefusedWhole(decision);
  const { repairsMax = AGENT.repairsMax, turnsMax = AGENT.turnsMax } = agent;
  if (isMistake && progress.repairs >= repairsMax) {
    return failed(
      'repairs_exhausted',
      `${progress.repairs + 1} mistakes in a row, the last one: ${mistakeIn(decision)}`,
    );
  }
  const isLast = progress.turn + 1 >= turnsMax;
  if (isLast && !(decision.did === 'answered' && decision.answer !== undefined)) {
    return failed('turns_exhausted', `turns ${turnsMax}/${turnsMax}: the model has not come to an answer`);
  }
  return decision;
};

const shown = ({ text }: ModelReply): string => bounded(text === '' ? 'it says nothing' : text, 500);

/** Whether the model has only made mistakes in its calls. */
export const isRefusedWhole = (decision: TurnDecision): boolean =>
  decision.did === 'called' && decision.calls.every((call) => 'refused' in call && call.refused !== 'repeat_in_doubt');

const mistakeIn = (decision: TurnDecision): string => {
  if (decision.did === 'repaired') return decision.problem.message;
  const refused = decision.did === 'called' ? decision.calls.find((call) => 'refused' in call) : undefined;
  return refused !== undefined && 'refused' in refused ? refused.message : '';
};

const judgeCalls = (agent: AgentSettings, progress: AgentProgress, reply: ModelReply): TurnDecision => ({
  did: 'called',
  calls: reply.calls.map((call, at) =>
    isCutOff(call, reply) ? refuse('malformed_arguments', CUT_OFF) : judgeCall(agent, progress, call, at),
  ),
});

const CUT_OFF = 'Not called: your reply was cut off before the arguments of this call. Be shorter.';

/** No arguments at all mean none, unless there was no room for them. */
const isCutOff = (call: ModelCall, { calls, finish }: ModelReply): boolean =>
  finish === 'length' && call === calls.at(-1) && call.arguments.trim() === '';

const refuse = (refused: CallRefusal, message: string): CallDecision => ({
  refused,
  message: bounded(message, MESSAGE_MAX),
});

// oxlint-disable-next-line max-params -- what a call is judged by, and its place
const judgeCall = (agent: AgentSettings, progress: AgentProgress, call: ModelCall, at: number): CallDecision => {
  const { callsMax = AGENT.callsMax } = agent;
  if (at >= callsMax) return refuse('too_many_calls', `Not called: at most ${callsMax} calls are made in one turn.`);
  const tool = agent.tools.find((known) => nameOf(known) === call.name);
  if (tool === undefined) {
    const names = agent.tools.map(nameOf).join(', ');
    return refuse('unknown_tool', `There is no tool ${bounded(call.name, 100)}. The tools are: ${names}.`);
  }
  const args = argumentsOf(call);
  if ('problem' in args) return refuse('malformed_arguments', `Not called: ${args.problem}`);
  const wrong = argumentProblemsOf(tool, args.value);
  if (wrong.length > 0) return refuse('invalid_arguments', `Not called: the arguments do not fit: ${wrong.join('; ')}`);
  const doubtful = progress.late.find((late) => late.name === call.name && sameJson(late.args, args.value));
  if (doubtful === undefined) return { step: `${call.name}-${at}` };
  const where = `turn ${doubtful.turn + 1}, ${doubtful.id}`;
  return refuse(
    'repeat_in_doubt',
    `Not called: the same call (${where}) may already have been made. That is being checked; you will be told what was found.`,
  );
};

/** What a submitter says of a run is read as strictly as anything from outside. */
const argumentProblemsOf = (tool: AgentTool, args: Json): readonly string[] => {
  if (!isDelegated(tool)) return valueProblems(offered(tool).parameters, args).slice(0, 10);
  const problem = answerProblem(tool.parameters, args);
  return problem === null ? [] : [problem.replace(/^the answer/, 'the input')];
};

/** The arguments that a model has written. None at all are an empty object. */
export const argumentsOf = (call: ModelCall): Read => {
  if (call.arguments.trim() === '') return { value: {} };
  const read = parsed(call.arguments);
  if ('problem' in read) return { problem: `the arguments are ${read.problem}: ${bounded(call.arguments, 200)}` };
  return isJsonObject(read.value) ? read : { problem: 'the arguments must be a JSON object' };
};

const repair = (code: string, message: string): TurnDecision => ({
  did: 'repaired',
  problem: { code, message: bounded(message, MESSAGE_MAX) },
});

const judgeAnswer = (agent: AgentSettings, progress: AgentProgress, reply: ModelReply): TurnDecision => {
  if (reply.finish === 'length')
    return repair('answer_cut_off', 'Your answer was cut off, it was too long: be shorter.');
  if (reply.text.trim() === '') return repair('answer_empty', 'You have neither called a tool nor answered.');
  // What it has answered without knowing what became of its calls is not its last word.
  if (progress.late.length > 0 || progress.found.length > 0) return { did: 'answered' };
  if (agent.answer === undefined) return { did: 'answered', answer: reply.text };
  const read = parsed(unfenced(reply.text));
  if ('problem' in read) {
    return repair('answer_not_json', `Your answer is ${read.problem}. It must be JSON and nothing else.`);
  }
  const problem = answerProblem(agent.answer, read.value);
  if (problem === null) return { did: 'answered', answer: read.value };
  return repair('answer_wrong', `Your answer does not fit its schema: ${problem}.`);
};

const FENCE = '```';

/** JSON is often put between fences, whatever was asked for. Without a pattern, which could take very long. */
const unfenced = (text: string): string => {
  const whole = text.trim();
  const begins = whole.indexOf('\n');
  const first = whole.slice(0, begins).trimEnd();
  const isFenced = (first === FENCE || first === `${FENCE}json`) && whole.endsWith(FENCE);
  return isFenced ? whole.slice(begins, -FENCE.length) : text;
};

type Read = { readonly value: Json } | { readonly problem: string };

/** JSON that a model has written, as far as it can be kept: its text may hold what no value of the history has. */
const parsed = (text: string): Read => {
  const value = asJson(text);
  if (value === undefined) return { problem: 'not JSON' };
  if (isDeeper(value, DEPTH_MAX)) return { problem: `nested more than ${DEPTH_MAX} levels deep` };
  return holdsInfinity(value) ? { problem: 'no usable JSON, since a number in it is too large' } : { value };
};

const asJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** `1e999` is JSON, and no number. */
const holdsInfinity = (value: Json): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value as { readonly [key: string]: Json }).some(holdsInfinity)
    : typeof value === 'number' && !Number.isFinite(value);
