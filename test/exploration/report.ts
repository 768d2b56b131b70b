import type { Found } from './engine/explore.js';
import type { Configuration } from './world/kit.js';

export type Explored = {
  readonly configuration: Configuration;
  readonly found: Found;
  readonly wallMs: number;
  readonly cpuMs: number;
};

/** What was found about a configuration, for a person. */
export const linesOf = ({ configuration, found, wallMs, cpuMs }: Explored): readonly string[] => {
  const { name, about, coordinators, executors, faults, program } = configuration;
  const { states, transitions, depth, exhausted, breach, stuck, outcomes } = found;
  const steps = program.steps.map((node) => ('tool' in node ? node.tool : node.id)).join(', ');
  const budget =
    Object.entries(faults)
      .map(([fault, times]) => `${fault} ${times}`)
      .join(', ') || 'none';
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  return [
    `${name}: ${about}`,
    `  has        ${coordinators} coordinator(s), ${executors} executor(s), 1 reconciler, steps ${steps}; faults: ${budget}`,
    `  explored   ${exhausted ? 'to the end' : 'only in part'}: ${count(states)} states, ${count(transitions)} transitions, depth ${depth}, ${seconds(wallMs)} (${seconds(cpuMs)} of processor)`,
    `  invariants ${breach === null ? 'hold in every state' : `BROKEN: ${breach.invariant}: ${breach.detail}`}`,
    ...(breach === null ? [] : traced(breach.trace)),
    `  liveness   ${liveness(found)}`,
    ...(stuck === null ? [] : traced(stuck.trace)),
    `  at rest    ${[...outcomes].map(([outcome, times]) => `${outcome} ${count(times)}`).join(', ') || 'nowhere'}`,
  ];
};

const liveness = ({ exhausted, stuck }: Found): string => {
  if (!exhausted) return 'not judged: the exploration did not reach the end';
  return stuck === null
    ? 'from every state an end is reached if faults stop'
    : `BROKEN: from ${count(stuck.count)} states no end is reached; the shortest way there:`;
};

const traced = (trace: readonly string[]): string[] =>
  trace.map((label, at) => `    ${String(at + 1).padStart(2)}. ${label}`);

export const count = (number: number): string => number.toLocaleString('en-US');

export const isClean = ({ found: { exhausted, breach, stuck } }: Explored): boolean =>
  exhausted && breach === null && stuck === null;
