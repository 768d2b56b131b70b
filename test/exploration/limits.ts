/** What an exploration does not tell apart, and what it does not look at. `docs/exploration.md` says more about each. */
export const limits: readonly string[] = [
  'joined: a process reads all that a topic holds, never less, except history with the fault staleRead',
  'joined: landing and answer of an append of history with one coordinator, of a claim with one executor and no lostClaim',
  'joined: a word, a verdict, a closing, the reactions to one batch land and are acknowledged',
  'joined: the look at claims and journal and the judgement that a session is gone; the beginning of a call and its request',
  'joined: everything up to the first read of the request; reads of claims and history that change nothing',
  'time: passes to the next due moment when nothing else is to be done, or by the fault slow; all times are multiples of one',
  'time: deadlines of runs and escalations are ends; skew and grace are 0',
  'forgotten: terms, races lost, void records, time of the last advance (so no advance without consequence), age of heartbeats',
  'bounded: faults by their number, tries and deaths of a step by 2, the epochs that two coordinators take from each other',
  'left out: fences by stale heartbeats, repeats of words and commands, refusals, progress, several runs, queues, partitions',
];
