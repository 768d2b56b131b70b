import type { CatalogueEntry } from '@holdfast/contracts';
import type { RunEventData } from '@holdfast/events';
import {
  modelReplySchema,
  modelRequestSchema,
  type AgentProgram,
  type Json,
  type ModelCall,
  type ModelReply,
  type ModelRequest,
} from '@holdfast/programs';
import { z } from 'zod';
import { LaneHarness, queueOf, type HarnessOptions } from './lane-harness.js';
import type { Submitted } from './submission.js';
import { allTools, catalogueOf, tool } from './tools.js';

const asJson = (schema: z.ZodType, io: 'input' | 'output') => z.toJSONSchema(schema, { io }) as { [key: string]: Json };

/** A model as the catalogue shows one. */
export const modelEntry = (more: Partial<CatalogueEntry> = {}): CatalogueEntry =>
  tool('repeatable', {
    name: 'model',
    inputSchema: asJson(modelRequestSchema, 'input'),
    outputSchema: asJson(modelReplySchema, 'output'),
    ...more,
  });

const usage = { tokensIn: 100, tokensOut: 10 };
export const answers = (text: string, more: Partial<ModelReply> = {}): ModelReply => ({
  text,
  calls: [],
  finish: 'answer',
  usage,
  ...more,
});
/** A reply that asks for calls: `[name, arguments]` each; arguments that are a text are sent as they are. */
export const calls = (...wanted: readonly (readonly [name: string, args: Json])[]): ModelReply => ({
  text: '',
  calls: wanted.map(([name, args], at): ModelCall => ({
    id: `call_${at}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  })),
  finish: 'calls',
  usage,
});

/** An agent with these tools of the harness' catalogue. */
export const agentOf = (tools: readonly string[], more: Partial<AgentProgram> = {}): AgentProgram => ({
  kind: 'agent',
  instructions: 'You work.',
  task: 'Do it.',
  model: 'model@1',
  tools: tools.map((name) => ({ tool: `${name}@1` })),
  ...more,
});

/** What a real endpoint refuses: a call without its one result, or a result without its call. */
export const unpaired = ({ messages }: ModelRequest): readonly string[] => {
  const problems: string[] = [];
  messages.forEach((message, at) => {
    if (message.role !== 'assistant') return;
    const results: string[] = [];
    for (const next of messages.slice(at + 1)) {
      if (next.role !== 'tool') break;
      results.push(next.callId);
    }
    const wanted = message.calls.map(({ id }) => id);
    if (JSON.stringify(wanted) !== JSON.stringify(results))
      problems.push(`${at}: ${wanted.join()} answered by ${results.join()}`);
  });
  const results = messages.filter(({ role }) => role === 'tool').length;
  const wanted = messages.reduce((sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0), 0);
  return results === wanted ? problems : [...problems, `${wanted} calls and ${results} results`];
};

type Order = {
  readonly attemptId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly tool: string;
  readonly args: Json;
};
type About = Pick<Order, 'attemptId' | 'stepId'> & Partial<Order>;
/** What becomes of a call: its result, a failure, or nothing yet. */
export type Played = { readonly result: Json } | { readonly failed: string } | 'unknown' | 'open';
export type Script = {
  readonly model: (request: ModelRequest, turn: number) => ModelReply | Played;
  readonly call?: (order: Order) => Played;
};

/** Plays an agent over one lane: the model and the tools answer by a script, in the order in which commands go out. */
export class AgentPlay {
  readonly lane: LaneHarness;
  readonly requests: ModelRequest[] = [];
  readonly called: Order[] = [];
  #played = 0;
  /** The worker that is there. */
  #session = 1;

  constructor(
    readonly script: Script,
    options: HarnessOptions = {},
  ) {
    this.lane = new LaneHarness(options);
    this.lane.catalogue = new Map([...allTools, ...catalogueOf(modelEntry(), modelEntry({ name: 'other' }))]);
    const tools = new Set(this.lane.catalogue.keys());
    this.lane.queues = { default: queueOf({ partitions: [{ partition: 0, claimsEnd: 0, tools }] }) };
    this.lane.seat();
  }

  submit(program: unknown, more: Submitted = {}): this {
    this.lane.submit(program, more);
    return this.go();
  }

  /** Answers commands until nothing more is asked for. */
  go(most = 200): this {
    while (this.#played < this.orders.length && this.#played < most) {
      const order = this.orders[this.#played++] as Order;
      this.play(order, this.#answerTo(order));
    }
    return this;
  }

  get orders(): readonly Order[] {
    return this.lane.reactions.flatMap((reaction) => (reaction.kind === 'command' ? [reaction.order as Order] : []));
  }

  #answerTo(order: Order): Played {
    if (!order.tool.startsWith('model') && !order.tool.startsWith('other')) {
      this.called.push(order);
      return this.script.call?.(order) ?? { result: 'done' };
    }
    const request = modelRequestSchema.parse(order.args);
    this.requests.push(request);
    const reply = this.script.model(request, this.requests.length - 1);
    return typeof reply === 'object' && 'calls' in reply ? { result: reply as unknown as Json } : reply;
  }

  /** What becomes of an attempt. */
  play({ attemptId, stepId, runId = 'run-1' }: About, played: Played): this {
    const attempt = Number(attemptId.slice(attemptId.lastIndexOf('/') + 1));
    const session = `S${this.#session}`;
    const who = { runId, step: stepId, attempt, session };
    if (played === 'open') return (this.lane.claims(attemptId, session), this);
    this.lane.claims(attemptId, session);
    if (played === 'unknown') this.lane.say('AttemptUnknown', who);
    else if ('failed' in played) {
      this.lane.say('AttemptFailed', who, { retry: 'never', failure: { code: 'refused', message: played.failed } });
    } else this.lane.say('AttemptSucceeded', who, { result: played.result });
    return this;
  }

  /** The worker dies with all that it has under way, and another one takes its place. */
  dies(): this {
    this.lane.dies(`S${this.#session++}`);
    return this;
  }

  get turns(): readonly RunEventData<'TurnTaken'>[] {
    return this.lane.events().flatMap(({ event }) => (event.type === 'TurnTaken' ? [event.data] : []));
  }

  get end(): RunEventData<'RunEnded'> | undefined {
    const end = this.lane.events().findLast(({ event }) => event.type === 'RunEnded')?.event;
    return end?.type === 'RunEnded' ? end.data : undefined;
  }
}
