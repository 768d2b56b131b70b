import type { TurnView } from '@holdfast/api';
import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { MoreButton } from '../parts/more-button.js';
import { Answered, Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import type { TabProps } from './tab-props.js';
import { leftOutWords, textOf } from './transcript.js';
import classes from './run.module.css';

/** What the agents of a run did, turn by turn. */
export default function TranscriptTab({ run, openStep }: TabProps) {
  const list = useList(endpoints.turns(run.runId));
  return (
    <Answered query={list.query} what="the transcript">
      {list.items.length === 0 ? (
        <div className="panel">
          <Empty title="No agent has had a turn">
            Agents are models that work on a task with tools; what they say and call stands here.
          </Empty>
        </div>
      ) : (
        <ol className={classes.turns} aria-label="Transcript">
          {list.items.map((turn) => (
            <Turn key={turn.seq} turn={turn} openStep={openStep} />
          ))}
        </ol>
      )}
      <MoreButton list={list} />
    </Answered>
  );
}

type TurnProps = { readonly turn: TurnView; readonly openStep: (stepId: string) => void };

const Turn = ({ turn, openStep }: TurnProps) => (
  <li className={`panel ${classes.turn}`}>
    <h2 className={classes.turnTitle}>
      {turn.agent}, turn {turn.turn + 1}
      <span className="dim">
        {turn.usage.tokensIn} tokens in, {turn.usage.tokensOut} out{leftOutWords(turn.context)}
      </span>
    </h2>
    {turn.text !== '' && turn.did !== 'answered' && <p className={classes.said}>{turn.text}</p>}
    {turn.calls.map((call, at) => (
      <Call key={at} call={call} openStep={openStep} />
    ))}
    {turn.did === 'answered' && (
      <pre className={classes.said}>{turn.answer === null ? turn.text : textOf(turn.answer)}</pre>
    )}
    {turn.problem !== null && <p className={classes.problem}>{turn.problem}</p>}
  </li>
);

type CallProps = { readonly call: TurnView['calls'][number]; readonly openStep: (stepId: string) => void };

const Call = ({ call, openStep }: CallProps) => {
  const { stepId } = call;
  return (
    <div className={classes.call}>
      <div>
        {stepId === null ? (
          <code>{call.name}</code>
        ) : (
          <button type="button" className={classes.link} onClick={() => openStep(stepId)}>
            <code>{call.name}</code>
          </button>
        )}{' '}
        <Status of={call.became} />
      </div>
      <pre>{call.arguments === '' ? '{}' : call.arguments}</pre>
      {call.said !== null && <pre>{textOf(call.said)}</pre>}
    </div>
  );
};
