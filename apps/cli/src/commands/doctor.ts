import type { Command } from 'commander';
import type { Action } from '../action.js';
import type { CheckResult } from '../doctor/check.js';
import { EXIT, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';

export const addDoctor = (program: Command, action: Action, version: string): void => {
  program
    .command('doctor')
    .description('check brokers, topics, clocks, services, lanes, tools and configuration, and say what to do')
    .action((options: object) => action((session) => doctor(session, version))(undefined, options));
};

const doctor = async (session: Session, version: string): Promise<ExitCode> => {
  const { output } = session;
  const { green, yellow, red } = output.colors;
  const paint: Readonly<Record<CheckResult, (text: string) => string>> = { ok: green, warn: yellow, fail: red };
  const found: Record<CheckResult, number> = { ok: 0, warn: 0, fail: 0 };
  let reached = true;
  // Loaded when it is asked for: it needs what services are made of, and the other commands nothing of that.
  const { examine } = await import('../doctor/doctor.js');
  for await (const check of examine(session, version)) {
    found[check.result] += 1;
    reached &&= !(check.check === 'brokers' && check.result === 'fail');
    output.data({ kind: 'check', ...check });
    output.say(`${paint[check.result](check.result.padEnd(4))}  ${check.check.padEnd(12)} ${check.detail}`);
    if (check.advice !== null && check.advice !== '') output.say(`      ${''.padEnd(12)} → ${check.advice}`);
  }
  output.data({ kind: 'checked', ...found });
  output.say(`${found.ok} ok, ${found.warn} to look at, ${found.fail} wrong.`);
  if (!reached) return EXIT.unreachable;
  return found.fail === 0 ? EXIT.ok : EXIT.notSucceeded;
};
