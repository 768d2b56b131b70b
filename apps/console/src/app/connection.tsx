import { Button, Tooltip } from '@mantine/core';
import { useLive } from '../api/live.js';
import { countdown } from '../format/time.js';
import { toneColor, type Tone } from '../parts/tone.js';
import { useNow } from '../parts/use-now.js';
import classes from './shell.module.css';

/** Whether what is shown is live, and when the page tries again where it is not. */
export const Connection = () => {
  const { state, retry } = useLive();
  const now = useNow();
  const waiting = state.state === 'waiting';
  const { word, tone, about }: { word: string; tone: Tone; about: string } =
    state.state === 'live'
      ? { word: 'Live', tone: 'green', about: 'Changes are shown as they happen.' }
      : waiting
        ? {
            word: `Offline, again in ${countdown(state.until, now)}`,
            tone: 'red',
            about: 'The gateway cannot be reached. What is shown may be old; nothing is lost.',
          }
        : { word: 'Connecting', tone: 'amber', about: 'Waiting for the gateway.' };
  return (
    <>
      <Tooltip label={about} multiline maw={260}>
        <span
          className={classes.connection}
          style={{ color: toneColor(tone) }}
          data-connection={state.state}
          role="status"
          aria-label={`Connection: ${state.state === 'waiting' ? 'offline' : state.state}`}
        >
          <span className={classes.dot} aria-hidden />
          <span className={classes.connectionWord} aria-hidden>
            {word}
          </span>
        </span>
      </Tooltip>
      {waiting && (
        <Button size="compact-xs" variant="default" onClick={retry}>
          Try now
        </Button>
      )}
    </>
  );
};
