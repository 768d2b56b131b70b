import { AGENT, type AgentSettings } from './agent.js';
import type { AgentProgress, AgentTurn } from './agent.state.js';
import type { ModelMessage, ModelReply } from './model.js';
import { bounded } from './texts.js';

type Context = {
  readonly policy: 'window' | 'summarise';
  readonly charactersMax: number;
  readonly resultCharactersMax: number;
  readonly keepTurns: number;
};

export const contextOf = ({ context }: AgentSettings): Context => ({
  policy: context?.policy ?? AGENT.context.policy,
  charactersMax: context?.charactersMax ?? AGENT.context.charactersMax,
  resultCharactersMax: context?.resultCharactersMax ?? AGENT.context.resultCharactersMax,
  keepTurns: context?.keepTurns ?? AGENT.context.keepTurns,
});

/** A turn as it is kept: no single one fills the room for all of them. */
export const turnOf = (agent: AgentSettings, turn: number, messages: readonly ModelMessage[]): AgentTurn => {
  const { charactersMax, resultCharactersMax } = contextOf(agent);
  const shareOf = (role: ModelMessage['role'], part: number): number =>
    Math.max(
      200,
      Math.floor(charactersMax / part / Math.max(1, messages.filter((known) => known.role === role).length)),
    );
  const most = {
    tool: Math.min(resultCharactersMax, shareOf('tool', 2)),
    user: shareOf('user', 4),
    assistant: shareOf('assistant', 4),
  };
  const kept = messages.map((message): ModelMessage => ({
    ...message,
    text: bounded(message.text, most[message.role]),
  }));
  return { turn, messages: kept, size: kept.reduce((sum, message) => sum + sizeOf(message), 0) };
};

const sizeOf = (message: ModelMessage): number =>
  message.text.length +
  (message.role === 'assistant' ? message.calls.reduce((sum, call) => sum + call.arguments.length, 0) : 0);

const sizeOfAll = ({ turns, summary }: Pick<AgentProgress, 'turns' | 'summary'>): number =>
  turns.reduce((sum, { size }) => sum + size, summary?.length ?? 0);

/** How much may be shown: less than the characters allow where the last request has taken too many tokens. */
const roomOf = (agent: AgentSettings, progress: AgentProgress, { usage }: ModelReply): number => {
  const { charactersMax } = contextOf(agent);
  const { tokensMax } = agent.context ?? {};
  const tokens = usage.tokensIn + usage.tokensOut;
  if (tokensMax === undefined || tokens <= tokensMax) return charactersMax;
  return Math.min(charactersMax, Math.floor((sizeOfAll(progress) * tokensMax) / tokens));
};

/** The next request, once a turn is over: what has no room is left out, or summed up first. Whole turns, the oldest first. */
export const nextRequest = (agent: AgentSettings, progress: AgentProgress, last: ModelReply): AgentProgress => {
  const asked = { ...progress, phase: { name: 'model', open: false } } as const;
  const room = roomOf(agent, asked, last);
  if (sizeOfAll(asked) <= room) return asked;
  const { policy, keepTurns } = contextOf(agent);
  if (policy === 'summarise' && asked.turns.length > keepTurns) {
    return { ...asked, phase: { name: 'summary', open: false } };
  }
  return withoutOldest(asked, room);
};

/** Whole turns are left out, the oldest first, until the others fit; the latest one always stays. */
const withoutOldest = (progress: AgentProgress, room: number): AgentProgress => {
  let { turns, leftOut } = progress;
  while (turns.length > 1 && sizeOfAll({ turns, summary: progress.summary }) > room) {
    turns = turns.slice(1);
    leftOut += 1;
  }
  return { ...progress, turns, leftOut };
};

/** What is summed up: the summary before it and all turns but the latest ones. */
export const summedUp = (agent: AgentSettings, { turns }: AgentProgress): readonly AgentTurn[] =>
  turns.slice(0, Math.max(0, turns.length - contextOf(agent).keepTurns));

/** The agent once what is old is summed up. Without a summary it is left out instead. */
export const withSummary = (agent: AgentSettings, progress: AgentProgress, summary: string | null): AgentProgress => {
  const asked = { ...progress, phase: { name: 'model', open: false } } as const;
  const old = summedUp(agent, progress);
  const { charactersMax } = contextOf(agent);
  const turns = progress.turns.slice(old.length);
  const leftOut = progress.leftOut + old.length;
  const text =
    summary === null || summary.trim() === '' ? progress.summary : bounded(summary, Math.floor(charactersMax / 4));
  return withoutOldest({ ...asked, turns, leftOut, summary: text }, charactersMax);
};
