import type { Failure } from './ask.js';
import { clip } from './bounds.js';

const AGAIN = 'Call it again with the same arguments: what was done already is not done twice.';
const LOOK = 'list_escalations shows what is asked and what may be answered.';

/** What a model can do about it, in its own tools; what the gateway advises speaks of HTTP. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_input: 'Correct the arguments that are named, and call it again.',
  unknown_tool: 'list_tools shows which there are.',
  unknown_run:
    'Check the id: list_runs finds runs by part of it. A run that was submitted a moment ago shows up a little later.',
  unknown_step: 'list_steps shows the steps of the run. A step is there once it was scheduled.',
  unknown_escalation: LOOK,
  run_id_taken:
    'A run with this id is there already, with other content: get_run shows it. If you have submitted it before, it is ' +
    'under way or done: do not submit it again. If something else is to be done, choose another id.',
  invalid_program:
    'Nothing was begun. Correct what is named, by the schemas that list_tools shows with `tool`, and submit it again ' +
    'under the same id.',
  run_ended: 'The run is over and is not changed any more: get_run shows how it ended.',
  run_cancelling: 'The run is being stopped already: get_run shows when it is over.',
  already_answered:
    'The first answer counts: list_escalations with status answered shows it. Do not answer it a second time.',
  expired: 'The time for an answer is over: get_run shows what became of the run.',
  no_longer_asked: 'Nobody wants the answer any more: get_run shows how the run goes on.',
  choice_not_offered: LOOK,
  answer_wrong: `The value does not fit the schema of the question. ${LOOK}`,
  too_early: 'Before that time the effect may still land: look again and answer then.',
  role_missing:
    'Tell the person that you work for: this needs a token with that role. Do not look for a way around it.',
  same_person: 'Somebody else answers it: tell the person that you work for.',
  unauthenticated: 'The token is missing: tell the person that you work for.',
  invalid_token: 'The token is of no use any more: tell the person that you work for.',
  too_many_requests: 'Wait a minute before you call anything again.',
  too_large: 'Hand over large content by reference, and submit less at once.',
  not_acknowledged: AGAIN,
  log_unavailable: AGAIN,
  database_unavailable: AGAIN,
  sign_in_unavailable: AGAIN,
  gateway_unreachable: `${AGAIN} If it stays so, tell the person that you work for.`,
};

const ERRORS = 20;
const DETAILS = 6_000;

/** What went wrong, where, and what to do about it: for a model. */
export const failureText = ({ code, detail, errors = [], details, advice }: Failure): string => {
  const wrong = errors.slice(0, ERRORS).map(({ at, message }) => `- ${placeOf(at)}: ${clip(message, 500)}`);
  const more = errors.length > ERRORS ? [`- and ${errors.length - ERRORS} more`] : [];
  const said = errors.length > 0 ? 'The arguments are wrong.' : clip(detail, 4_000);
  const told = details === undefined ? [] : [`Details: ${clip(JSON.stringify(details), DETAILS)}`];
  const todo = ADVICE[code] ?? advice;
  return [`${code}: ${said}`, ...wrong, ...more, ...told, ...(todo === undefined ? [] : [todo])].join('\n');
};

/** A place in the arguments of a tool: what the route calls body, path or query is one object here. */
const placeOf = (at: string): string => at.replace(/^(body|path|query)\./, '');
