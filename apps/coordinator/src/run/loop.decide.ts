import { canonicalJson, isWarned, loopIn, runEvent, type Json, type LiveRun, type Loop } from '@holdfast/events';
import { outcome } from '@holdfast/programs';
import { liveRun, record, type RunDraft } from './draft.js';
import type { Env } from './env.js';
import { askAboutRun } from './run-question.decide.js';

/** The hash of a result, where the run looks for loops. */
export const resultHashFor = (run: LiveRun | undefined, result: Json, env: Env): { readonly resultHash?: string } =>
  run?.loop == null ? {} : { resultHash: env.digest(canonicalJson(result)) };

/** Calls that bring nothing new: first a warning, then the run is stopped, or a person is asked, as the program says. */
export const stopLoops = (draft: RunDraft, env: Env): void => {
  const run = liveRun(draft);
  if (run === undefined || run.loop === null || run.end !== null || run.cancel !== null || run.budget.stop !== null)
    return;
  const loop = loopIn(run.loop);
  if (loop === null || outcome(run.program, run.input, run.progress).status !== 'running') return;
  const { repeatsMax, onLoop } = run.loop;
  const detail = `${loop.repeats} calls brought nothing new: ${loop.pattern.map(nameOf).join(', ')} again and again`;
  if (onLoop !== 'warn' && loop.repeats >= repeatsMax) return stop(draft, { loop, detail, policy: onLoop }, env);
  if (loop.repeats < Math.ceil(repeatsMax / 2) || isWarned(run.loop, loop)) return;
  record(draft, runEvent('LoopFound', { level: 'warned', ...said(loop), detail, policy: onLoop }));
};

type Found = { readonly loop: Loop; readonly detail: string; readonly policy: 'end' | 'ask' };

const stop = (draft: RunDraft, { loop, detail, policy }: Found, env: Env): void => {
  record(draft, runEvent('LoopFound', { level: 'stopped', ...said(loop), detail, policy }));
  if (policy !== 'ask') return;
  const question = `The run goes in a circle: ${detail}. Let it go on, or end it?`;
  askAboutRun(draft, { kind: 'loop', stepId: null, question, choices: ['continue', 'end'] }, env);
};

const said = ({ pattern, repeats }: Loop): { pattern: string[]; repeats: number } => ({
  pattern: [...pattern],
  repeats,
});

const nameOf = (call: string): string => call.slice(0, call.lastIndexOf('#'));
