const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in the two largest units that say something: `2 h 5 min`, `14 s`, `320 ms`. */
export const durationWords = (ms: number): string => {
  const length = Math.max(0, ms);
  if (length < SECOND) return `${Math.round(length)} ms`;
  if (length < 10 * SECOND) return `${(Math.floor(length / 100) / 10).toFixed(1)} s`;
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return pair(length, MINUTE, 'min', SECOND, 's');
  if (length < DAY) return pair(length, HOUR, 'h', MINUTE, 'min');
  return pair(length, DAY, 'd', HOUR, 'h');
};

const pair = (length: number, ...[big, bigName, small, smallName]: [number, string, number, string]): string => {
  const rest = Math.floor((length % big) / small);
  return rest === 0
    ? `${Math.floor(length / big)} ${bigName}`
    : `${Math.floor(length / big)} ${bigName} ${rest} ${smallName}`;
};

/** How long ago, or how soon, seen from `now`. */
export const relativeWords = (at: number, now: number): string => {
  const difference = at - now;
  if (Math.abs(difference) < 5 * SECOND) return 'now';
  const words = coarse(Math.abs(difference));
  return difference < 0 ? `${words} ago` : `in ${words}`;
};

const coarse = (ms: number): string => {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** Remaining time as on a clock: `0:03`, `14:12`, `2:05:09`. Over is `0:00`. */
export const countdown = (at: number, now: number): string => {
  const seconds = Math.max(0, Math.ceil((at - now) / SECOND));
  if (seconds >= DAY / SECOND) return durationWords(seconds * SECOND);
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};

const full = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'long',
});
const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Date and time in the viewer's zone, with its name. */
export const absoluteWords = (at: number): string => full.format(at);

/** Time of day with thousandths, for histories. */
export const clockWords = (at: number): string =>
  `${clockTime.format(at)}.${String(((at % SECOND) + SECOND) % SECOND).padStart(3, '0')}`;

const dayOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Time of day, with the date where it is not the day of `now`. */
export const momentWords = (at: number, now: number): string => {
  const time = clockTime.format(at);
  const day = dayOf.format(at);
  return day === dayOf.format(now) ? time : `${day}, ${time}`;
};
