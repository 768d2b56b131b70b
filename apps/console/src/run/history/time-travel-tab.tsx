import { Button, Group, NumberInput, Slider } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight, IconPlayerTrackNext, IconPlayerTrackPrev } from '@tabler/icons-react';
import { useEffect, type KeyboardEvent } from 'react';
import { useSearchParams } from 'react-router';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Section } from '../../parts/layout.js';
import { Answered } from '../../parts/states.js';
import { Sentence } from '../../parts/sentence.js';
import { ClockTime } from '../../parts/times.js';
import { AfterEvent } from './after-event.js';
import type { TabProps } from '../tab-props.js';
import classes from '../run.module.css';

/** The run as it was after any of its events. */
export default function TimeTravelTab({ run }: TabProps) {
  const begin = useAnswer(endpoints.history(run.runId, { order: 'asc', limit: 1 }));
  const first = begin.data?.items[0]?.seq;
  return (
    <Answered query={begin} what="the beginning">
      {first !== undefined && <Travel runId={run.runId} first={first} last={run.seq} />}
    </Answered>
  );
}

const Travel = ({ runId, first, last }: { readonly runId: string; readonly first: number; readonly last: number }) => {
  const [params, setParams] = useSearchParams();
  const asked = Number(params.get('at') ?? last);
  const at = Math.min(last, Math.max(first, Number.isFinite(asked) ? asked : last));
  const go = (seq: number): void => setParams({ at: String(Math.min(last, Math.max(first, seq))) }, { replace: true });
  const [settled] = useDebouncedValue(at, 120);
  const before = useAnswer(endpoints.history(runId, { from: settled, order: 'desc', limit: 2 }), { keep: true });
  const after = useAnswer(endpoints.history(runId, { from: settled + 1, order: 'asc', limit: 1 }), { keep: true });
  const [event, previous] = before.data?.items ?? [];
  const next = after.data?.items[0];
  const steps = { previous: previous?.seq, next: next?.seq };
  useArrows(steps, go);
  return (
    <>
      <Section title="Event" aside={event && <ClockTime at={event.at} />}>
        <Slider
          min={first}
          max={Math.max(last, first + 1)}
          value={at}
          onChange={go}
          thumbLabel="Number of the event"
          label={(value) => `event ${value}`}
          thumbSize={18}
        />
        <Steps at={at} first={first} last={last} go={go} {...steps} />
        <p className="wrap" aria-live="polite">
          {event === undefined ? (
            'Nothing of this run is that old.'
          ) : (
            <b>
              <Sentence text={event.words} />
            </b>
          )}{' '}
          {event && (
            <span className="dim mono">
              {event.seq} · {event.type}
            </span>
          )}
        </p>
      </Section>
      <AfterEvent runId={runId} seq={settled} previous={previous?.seq} />
    </>
  );
};

type StepsProps = {
  readonly at: number;
  readonly first: number;
  readonly last: number;
  readonly previous: number | undefined;
  readonly next: number | undefined;
  readonly go: (seq: number) => void;
};
const Steps = ({ at, first, last, previous, next, go }: StepsProps) => (
  <Group gap={6} my={12} className={classes.toolbar}>
    <Button variant="default" onClick={() => go(first)} aria-label="First event" disabled={at <= first}>
      <IconPlayerTrackPrev size={14} />
    </Button>
    <Button
      variant="default"
      onClick={() => previous !== undefined && go(previous)}
      disabled={previous === undefined}
      leftSection={<IconChevronLeft size={14} />}
    >
      Event before
    </Button>
    <NumberInput
      aria-label="Number of the event"
      value={at}
      onChange={(value) => typeof value === 'number' && go(value)}
      min={first}
      max={last}
      w={110}
      onKeyDown={(event: KeyboardEvent) => event.stopPropagation()}
    />
    <Button
      variant="default"
      onClick={() => next !== undefined && go(next)}
      disabled={next === undefined}
      rightSection={<IconChevronRight size={14} />}
    >
      Next event
    </Button>
    <Button variant="default" onClick={() => go(last)} aria-label="Last event" disabled={at >= last}>
      <IconPlayerTrackNext size={14} />
    </Button>
  </Group>
);

/** The arrow keys step from event to event, wherever the focus is but in a field or on the slider. */
const useArrows = (
  { previous, next }: { readonly previous: number | undefined; readonly next: number | undefined },
  go: (seq: number) => void,
): void => {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea, [role="slider"], [role="tab"]'))
        return;
      if (event.key === 'ArrowLeft' && previous !== undefined) go(previous);
      if (event.key === 'ArrowRight' && next !== undefined) go(next);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
};
