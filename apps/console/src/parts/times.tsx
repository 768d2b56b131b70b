import { absoluteWords, clockWords, countdown, durationWords, momentWords, relativeWords } from '../format/time.js';
import { useNow } from './use-now.js';

type At = { readonly at: number };
const iso = (at: number): string => new Date(at).toISOString();

/** How long ago or how soon; the moment itself, in the viewer's zone, on hover. */
export const Ago = ({ at }: At) => {
  const now = useNow();
  return (
    <time dateTime={iso(at)} title={absoluteWords(at)} className="num">
      {relativeWords(at, now)}
    </time>
  );
};

/** Time of day with thousandths. */
export const ClockTime = ({ at }: At) => (
  <time dateTime={iso(at)} title={absoluteWords(at)} className="num">
    {clockWords(at)}
  </time>
);

export const Absolute = ({ at }: At) => (
  <time dateTime={iso(at)} className="num">
    {absoluteWords(at)}
  </time>
);

/** What is left until a moment, as on a clock. */
export const Countdown = ({ at, over = 'over' }: At & { readonly over?: string }) => {
  const now = useNow('quick');
  return (
    <time dateTime={iso(at)} title={absoluteWords(at)} className="num">
      {at <= now ? over : countdown(at, now)}
    </time>
  );
};

/** From one moment to another, or to now. */
export const Lasting = ({ from, to }: { readonly from: number; readonly to: number | null }) => {
  const now = useNow();
  return (
    <span className="num" title={`since ${absoluteWords(from)}`}>
      {durationWords((to ?? now) - from)}
    </span>
  );
};

/** A moment within a sentence: the time of day, with the date where it is not today. */
export const Moment = ({ at }: At) => {
  const now = useNow();
  return (
    <time dateTime={iso(at)} title={absoluteWords(at)} className="num">
      {momentWords(at, now)}
    </time>
  );
};
