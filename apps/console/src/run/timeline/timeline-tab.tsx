import { Button, SegmentedControl } from '@mantine/core';
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { plural } from '../../format/numbers.js';
import { durationWords } from '../../format/time.js';
import { Answered, Empty } from '../../parts/states.js';
import { Status } from '../../parts/status.js';
import { useNow } from '../../parts/use-now.js';
import type { TabProps } from '../tab-props.js';
import { TimelineCanvas } from './canvas.js';
import { GroupTable } from './group-table.js';
import { IN_DOUBT, layoutOf, type GroupBy, type Layout } from './layout.js';
import { Rate } from './rate.js';
import { useAll } from './use-all.js';
import { within, zoomed, type Span } from './view.js';
import classes from '../run.module.css';

const ATTEMPTS_MAX = 12_000;
const groupings: readonly { readonly value: GroupBy; readonly label: string }[] = [
  { value: 'session', label: 'By executor' },
  { value: 'partition', label: 'By partition' },
  { value: 'tool', label: 'By tool' },
];
const legend = ['open', 'succeeded', 'doubtful', 'failed', 'closed'];

/** Who worked at what, when: every attempt of the run over time. */
export default function TimelineTab({ run, openStep }: TabProps) {
  const [by, setBy] = useState<GroupBy>('session');
  const list = useAll(endpoints.attempts(run.runId), ATTEMPTS_MAX);
  const ticking = useNow();
  const now = run.endedAt ?? ticking;
  const { data: doubted } = useAnswer(endpoints.runDoubts(run.runId));
  const layout = useMemo(
    () => layoutOf({ attempts: list.items, doubts: doubted?.items ?? [] }, by, now),
    [list.items, doubted, by, now],
  );
  return (
    <Answered query={list.query} what="the timeline">
      {list.items.length === 0 ? (
        <div className="panel">
          <Empty title="Nothing has been scheduled yet">
            Every attempt at a step shows up here with who held it and for how long.
          </Empty>
        </div>
      ) : (
        <Timeline layout={layout} by={by} setBy={setBy} list={list} open={openStep} />
      )}
    </Answered>
  );
}

type TimelineProps = {
  readonly layout: Layout;
  readonly by: GroupBy;
  readonly setBy: (by: GroupBy) => void;
  readonly list: ReturnType<typeof useAll<Layout['groups'][number]['rows'][number][number]['attempt']>>;
  readonly open: (stepId: string) => void;
};
const Timeline = ({ layout, by, setBy, list, open }: TimelineProps) => {
  const [chosen, setSpan] = useState<Span | null>(null);
  const whole = { from: layout.from, to: layout.to };
  const span = chosen === null ? whole : within(chosen, whole);
  const middle = (span.from + span.to) / 2;
  const about = `${plural(list.items.length, 'attempt')} in ${durationWords(layout.to - layout.from)}, ${plural(layout.groups.length, 'group')}.`;
  return (
    <>
      <div className={classes.toolbar}>
        <SegmentedControl
          aria-label="Group attempts"
          data={[...groupings]}
          value={by}
          onChange={(value) => setBy(value)}
        />
        <Button.Group>
          <Button variant="default" aria-label="Closer" onClick={() => setSpan(zoomed(span, whole, 0.5, middle))}>
            <IconPlus size={14} />
          </Button>
          <Button variant="default" aria-label="Further away" onClick={() => setSpan(zoomed(span, whole, 2, middle))}>
            <IconMinus size={14} />
          </Button>
          <Button variant="default" aria-label="All of it" onClick={() => setSpan(null)}>
            <IconMaximize size={14} />
          </Button>
        </Button.Group>
        <span className="dim num" role="status">
          {about}
          {list.complete ? '' : list.query.isFetching ? ' Loading more…' : ' Later ones are not shown.'}
        </span>
      </div>
      <Rate attempts={list.items} span={span} />
      <TimelineCanvas layout={layout} span={span} setSpan={setSpan} open={open} about={about} />
      <div className={classes.legend} style={{ margin: '10px 0 16px' }}>
        {legend.map((status) => (
          <Status key={status} of={status} />
        ))}
        <span className="dim">A thin line before a bar: scheduled, and nobody had begun.</span>
      </div>
      <GroupTable groups={layout.groups.filter(({ name }) => name !== IN_DOUBT)} />
    </>
  );
};
