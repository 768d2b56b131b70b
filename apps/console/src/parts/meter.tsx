import { toneColor, type Tone } from './tone.js';
import classes from './parts.module.css';

/** A part of a whole, drawn; the words beside it say the same. */
export const Meter = ({
  part,
  label,
  words,
  tone,
}: {
  readonly part: number;
  readonly label: string;
  readonly words: string;
  readonly tone: Tone;
}) => (
  <div
    className={classes.meterTrack}
    role="meter"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    aria-valuenow={Math.round(part * 100)}
    aria-valuetext={words}
  >
    <div className={classes.meterFill} style={{ width: `${part * 100}%`, background: toneColor(tone) }} />
  </div>
);
