import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryRecord, RunEventData } from '@holdfast/events';
import { createKafkaLog } from '@holdfast/log';
import { repositoryRoot } from '@holdfast/dev';
import type { Json } from '@holdfast/programs';
import { createClient, silentLogger, type Client } from '@holdfast/sdk';
import { yamlSource } from '@holdfast/yaml';
import type { World } from './world.js';

/** What is known of a run that is over. */
export type Finished = {
  readonly runId: string;
  readonly end: RunEventData<'RunEnded'>;
  readonly records: readonly HistoryRecord[];
};
/** Told of each fact as it comes. */
export type See = (record: HistoryRecord) => void;

const ANSWER_MS = 60_000;
const PERSON = 'a person at the example';

/** Submits runs of the agent and sees them to their end. */
export class Runs {
  private readonly log;
  private readonly client: Client;

  constructor(
    private readonly world: World,
    private readonly approves: boolean,
  ) {
    const { brokers, namespace } = world;
    this.log = createKafkaLog({ brokers, clientId: 'agent-example', logger: silentLogger });
    this.client = createClient({ log: this.log, namespace });
  }

  /** Whoever is asked for an approval gives it, once the question is there. */
  async play(runId: string, see: See = () => undefined): Promise<Finished> {
    const input = { order: runId, folder: this.world.documents };
    await this.client.submit({ runId, program: program(), input, answerWithinMs: ANSWER_MS });
    const records: HistoryRecord[] = [];
    for await (const { record } of this.client.watch(runId)) {
      records.push(record);
      see(record);
      const { event } = record;
      if (event.type === 'EscalationOpened' && this.approves) await this.approve(runId, record.lane.seq, event.data);
      if (event.type === 'RunEnded') return { runId, end: event.data, records };
    }
    throw new Error(`the history of ${runId} has ended before the run`);
  }

  private async approve(runId: string, escalation: number, asked: RunEventData<'EscalationOpened'>): Promise<void> {
    if (asked.kind !== 'approval') throw new Error(`nobody here can answer: ${asked.question}`);
    const answer = { choice: 'approve', note: `by ${PERSON}`, answerWithinMs: ANSWER_MS };
    await this.client.answer(runId, { escalation, ...answer });
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.log.close();
  }
}

const program = (): Json => {
  const file = join(repositoryRoot, 'examples', 'agent', 'agent.yaml');
  return yamlSource(readFileSync(file, 'utf8'), file).value;
};
