import type { ExecutorView } from '@holdfast/api';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { countWords } from '../format/numbers.js';
import { Facts, PageHead } from '../parts/layout.js';
import { Meter } from '../parts/meter.js';
import { Answered, Empty } from '../parts/states.js';
import { Status } from '../parts/status.js';
import { Ago } from '../parts/times.js';
import { usePageTitle } from '../parts/use-page-title.js';
import classes from './cluster.module.css';

const EVERY_MS = 2_000;

export default function ExecutorsPage() {
  usePageTitle('Executors');
  const query = useAnswer(endpoints.executors(), { every: EVERY_MS });
  const executors = (query.data?.items ?? []).toSorted((one, other) => Number(other.alive) - Number(one.alive));
  return (
    <>
      <PageHead title="Executors" about="Processes that make calls, as their heartbeats show them." />
      <Answered query={query} what="executors">
        {executors.length === 0 ? (
          <div className="panel">
            <Empty title="No executor was heard of lately">
              Steps wait until one serves their queue: start “node apps/executor/dist/main.js” with HOLDFAST_TOOLS.
            </Empty>
          </div>
        ) : (
          <div className={classes.cards}>
            {executors.map((executor) => (
              <Executor key={executor.executor} executor={executor} />
            ))}
          </div>
        )}
      </Answered>
    </>
  );
}

const Executor = ({ executor }: { readonly executor: ExecutorView }) => (
  <article className={`panel ${classes.card}`} aria-label={`Executor ${executor.executor}`}>
    <div className={classes.head}>
      <h2 className="mono wrap">{executor.executor}</h2>
      <Status of={executor.alive ? 'alive' : 'silent'} />
    </div>
    <p className="dim">
      last heartbeat <Ago at={executor.lastBeatAt} />
    </p>
    {executor.queues.map(({ queue, partitions, slots, free }) => (
      <div key={queue} className={classes.queue}>
        <div className={classes.queueWords}>
          <span>
            Queue <b>{queue}</b> <span className="dim">partitions {partitions.join(', ') || 'none'}</span>
          </span>
          <span className="num">
            {countWords(slots - free)} of {countWords(slots)} slots busy
          </span>
        </div>
        <Meter
          part={slots === 0 ? 0 : (slots - free) / slots}
          label={`Slots of ${executor.executor} in ${queue}`}
          words={`${slots - free} of ${slots} busy`}
          tone="blue"
        />
      </div>
    ))}
    <Facts
      facts={[
        [
          'Sessions',
          <span key="sessions" className={classes.sessions}>
            {executor.sessions.length === 0 && <span className="dim">none</span>}
            {executor.sessions.map(({ session, state }) => (
              <span key={session}>
                <span className="mono wrap">{session}</span> <Status of={state === 'ended' ? 'closed' : state} />
              </span>
            ))}
          </span>,
        ],
        ['Tools', executor.tools.join(', ') || 'none'],
      ]}
    />
  </article>
);
