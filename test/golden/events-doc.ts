import { laneEventSchema, runEventSchema } from '@holdfast/events';
import { z } from 'zod';

type Type = z.infer<typeof runEventSchema>['type'] | z.infer<typeof laneEventSchema>['type'];

/** What each event says, for people. Everything else on the page comes from the schemas. */
const meanings: Record<Type, string> = {
  LaneAcquired: 'A coordinator has taken the lane: the first of the next epoch in log order wins.',
  LaneAdvanced:
    'The end of a batch: how far the inputs have been read, how far reactions were acknowledged, the answers that have no event of their own, and the hash of all that came before.',
  CancelRemembered: 'A cancel came before its run. If the run comes before `until`, it is cancelled as it begins.',
  CancelForgotten: 'The run came and was cancelled, or it did not come in time.',
  BulkCancelRequested:
    'All runs with these labels that were accepted before are to be cancelled, under one deadline, some in each batch.',
  BulkCancelAdvanced: 'So many of them have been cancelled; there are more.',
  BulkCancelEnded: 'All of them have been cancelled.',
  TenantBudgetSet: 'All runs of a tenant together may use this much.',
  GrantQueued: 'A run asks its tenant for more. It is served when it is its turn and enough is left.',
  GrantGiven: 'A run has been granted so much in all, or it gets no more.',
  GrantSettled: 'A run of the tenant is over: what it has not used is there for others.',
  GrantForgotten: 'Nothing that the run has asked can still arrive.',
  InputsLost: 'Inputs that were not read yet are no longer kept, and a person has accepted that.',
  RunAccepted: 'A run has begun. Its program, its input and the versions of its tools are fixed from here on.',
  StepScheduled: 'An attempt is to be made. Everything about it is fixed; a new try is a new attempt.',
  AttemptHeld: 'By the claims log this session, and nobody else, may make the attempt.',
  AttemptClosed: 'The first claim of the attempt closes it: nobody can ever make it. Not a try.',
  AttemptSkipped: 'Whoever held the attempt says that it was not made. Not a try.',
  StepSucceeded: 'The step is done, by an outcome, by a verdict, or by the word of a person.',
  StepFailed: 'An attempt has failed without effect; `final` when no further try follows.',
  BackoffStarted: 'The step is not tried again before `dueAt`.',
  DoubtOpened:
    'An attempt may have acted and nobody is left who will say. Nothing with an effect begins while it holds the run.',
  ProbeRecorded: 'The tool was asked about a doubt and did not know.',
  DoubtSettled: 'What became of the attempt in doubt is known, or it may be made again.',
  ConflictFound: 'An outcome contradicts what was acted on. An effect may have happened twice; a person is told.',
  EscalationOpened:
    'A person is asked, with choices and a deadline: about a doubt, a question of the plan, or whether a call may be made.',
  EscalationReminded: 'Those who are asked were to be reminded, or the next in line is asked.',
  EscalationAnswered: 'A person has answered.',
  EscalationExpired: 'Nobody answered in time.',
  ApprovalVoided: 'An approval cannot be used any more. A person is asked anew before the call is made.',
  CancelRequested: 'Nothing is scheduled after this. The end of the run is history by `deadlineAt`.',
  KillRequested: 'Somebody ends the run at once. `RunEnded` follows in the same batch.',
  RunPaused: 'Nothing new starts after this. What nobody has claimed is closed, what is claimed may finish.',
  RunResumed: 'The run goes on where it stood.',
  RunSteered: 'Other bounds for a run under way: when it must end, how many items at a time.',
  BudgetWarned: 'Nine tenths of a limit are used or reserved. Said once for each limit.',
  BudgetExhausted: 'The next step does not fit, or more was used than is allowed: nothing new is started.',
  BudgetChanged: 'The run may use something else from here on.',
  IdleClockStarted: 'From here on it is counted how long the run makes no progress.',
  LoopFound: 'Calls are repeated and bring nothing new.',
  GrantAsked: 'The run asks its tenant for more. Nothing that needs it is scheduled before the answer.',
  GrantReceived: 'The tenant has granted more, or it has no more.',
  RunWaiting: 'The run says what it waits for.',
  RunEnded: 'The run has ended, with its reason and the report of its effects.',
  TurnTaken:
    'What follows from a reply of an agent’s model: a step for each call or an error that the model is told, an answer, or the end of the agent. The transcript follows from these and from the results of the steps.',
  ChildStarted: 'A step begins a run of its own and waits for it.',
  ChildAttached: 'Another step waits for a run that this one has begun.',
  ChildAccepted: 'The lane of the run says that it has begun.',
  ChildLeft:
    'The step has waited long enough and succeeds with the word that the run goes on, which still belongs to this one.',
  ChildEnded: 'A run that this one has begun is over, or was refused. The steps that wait for it end likewise.',
  ChildrenStopped: 'The run is stopped: what it has begun and may not outlive it is told to be over by `deadlineAt`.',
  ChildRefused: 'A run that another one has begun was refused.',
  CompensationStarted:
    'The run is cancelled and nothing of it is in doubt: another run undoes its effects, the last one first.',
  CompensationEnded: 'The run that undoes the effects is over: what was undone, and what is still held.',
  KeyGranted: 'The run has the key that it shares with others, and may begin. It replaces the runs that it names.',
  KeyAwaited: 'Another run has the key; this one waits for its turn, or until those that it replaces are over.',
  KeyDenied: 'The run does not get its key, and ends without having begun.',
  RunSuperseded: 'The run is obsolete. Nothing is scheduled after this; it ends by `deadlineAt` at the latest.',
  KeyAssigned: 'The run has the key from here on, until its lane says that it is over.',
  KeyQueued: 'The run waits for the key; in `front` of all others where it replaces them.',
  KeyRefused: 'The run does not get the key.',
  KeyFreed: 'The run is over: it neither has the key nor waits for it. The generation is remembered `until` then.',
  KeyForgotten: 'Nobody has wanted the key for long; its generation is forgotten.',
  KeyReturned: 'The key was granted to a run that is over or unknown, and goes back to its lane.',
  ReportAmended: 'An effect of a run that has ended was settled afterwards.',
};

type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};

/** The page `docs/events.md`. */
export const eventsDoc = (): string => {
  const run = runEventSchema.options.map(section);
  const lane = laneEventSchema.options.map(section);
  return `# Events

> Made from the schemas in \`libs/events\` by \`npm run docs:events\`; do not edit. Each event has an example in
> [\`libs/contracts/examples/run-events\`](../libs/contracts/examples/run-events).

A record of history is one CloudEvents 1.0 JSON object: \`type\`, \`dataversion\`, \`data\` as below; \`subject\` is the run;
\`lane\` says where it stands (\`epoch\`, \`seq\`, \`owner\`, and the \`first\` number and \`size\` of its batch); \`prev\` is the
hash of the run's record before it. Times are epoch milliseconds.

## About a run

${run.join('\n')}
## About a lane

${lane.join('\n')}`;
};

type EventSchema = (typeof runEventSchema.options | typeof laneEventSchema.options)[number];

const section = (schema: EventSchema): string => {
  const type = schema.shape.type.value;
  const data = z.toJSONSchema(schema.shape.data, { unrepresentable: 'any' }) as JsonSchema;
  const rows = Object.entries(data.properties ?? {}).map(([name, field]) => {
    const optional = data.required?.includes(name) ? '' : ' (optional)';
    return `| \`${name}\`${optional} | ${describe(field)} |`;
  });
  return `### ${type}, version ${schema.shape.version.value}

${meanings[type]}

| Field | Holds |
| --- | --- |
${rows.join('\n')}
`;
};

const describe = (field: JsonSchema): string => {
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(describe))].join(' or ');
  if (field.type === 'array') return `list of ${describe(field.items ?? {})}`;
  if (field.type === 'object' && field.properties !== undefined) {
    return `object with ${Object.keys(field.properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`;
  }
  return [field.type ?? 'any JSON value'].flat().join(' or ');
};
