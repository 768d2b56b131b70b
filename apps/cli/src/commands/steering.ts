import { budgetOf } from '../budget.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { tell } from './requests.js';

export type Reasoned = { readonly reason?: string };

const why = (session: Session, { reason }: Reasoned) => ({
  principal: session.principal,
  ...(reason === undefined ? {} : { reason }),
});

export const kill = async (session: Session, runId: string, options: Reasoned): Promise<ExitCode> => {
  const client = await session.client();
  tell(
    session,
    await client.kill(runId, why(session, options)),
    `Run ${runId} is over; what was under way is told to stop`,
  );
  return EXIT.ok;
};

export const pause = async (session: Session, runId: string, options: Reasoned): Promise<ExitCode> => {
  const client = await session.client();
  tell(session, await client.pause(runId, why(session, options)), `Run ${runId} is paused; what is claimed may finish`);
  return EXIT.ok;
};

export const resume = async (session: Session, runId: string, options: Reasoned): Promise<ExitCode> => {
  const client = await session.client();
  tell(session, await client.resume(runId, why(session, options)), `Run ${runId} goes on`);
  return EXIT.ok;
};

export type SteerArguments = Reasoned & {
  readonly deadline?: number;
  readonly window?: Readonly<Record<string, string>>;
  readonly budget?: readonly string[];
};

export const steer = async (session: Session, runId: string, options: SteerArguments): Promise<ExitCode> => {
  const { deadline, window, budget } = options;
  if (deadline === undefined && window === undefined && budget === undefined) {
    throw new Problem(EXIT.usage, 'nothing is to be different', 'Give --deadline, --window or --budget.');
  }
  const client = await session.client();
  const answer = await client.steer(runId, {
    ...why(session, options),
    ...(deadline === undefined ? {} : { deadlineMs: deadline }),
    ...(window === undefined ? {} : { windows: windowsOf(window) }),
    ...(budget === undefined ? {} : { limits: await budgetOf(budget) }),
  });
  tell(session, answer, `Run ${runId} goes on within its new bounds`);
  return EXIT.ok;
};

const windowsOf = (given: Readonly<Record<string, string>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      if (/^[1-9]\d*$/.test(text)) return [name, Number(text)];
      throw new Problem(
        EXIT.usage,
        `${text} is no window for ${name}`,
        'Give a whole number from 1 on: --window each=8.',
      );
    }),
  );
