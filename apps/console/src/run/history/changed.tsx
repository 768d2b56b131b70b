import { useMemo } from 'react';
import { toneColor, type Tone } from '../../parts/tone.js';
import { differences, type Difference } from './difference.js';
import classes from './history.module.css';

const MOST = 60;
const CUT = 240;
const tones: Readonly<Record<Difference['kind'], Tone>> = { added: 'green', removed: 'red', changed: 'blue' };

/** What one event has changed in the state of the run. */
export const Changed = ({ before, after }: { readonly before: unknown; readonly after: unknown }) => {
  const found = useMemo(() => differences(before, after, MOST), [before, after]);
  if (found.length === 0) return <p className="dim">Nothing that is kept.</p>;
  return (
    <ul className={classes.changed}>
      {found.map(({ path, before: was, after: is, kind }) => (
        <li key={path}>
          <span className="mono wrap">{path}</span>
          <span style={{ color: toneColor(tones[kind]) }}>{kind}</span>
          <span className="mono wrap">
            {kind !== 'added' && <del>{short(was)}</del>}
            {kind === 'changed' && ' → '}
            {kind !== 'removed' && short(is)}
          </span>
        </li>
      ))}
      {found.length === MOST && <li className="dim">… and more</li>}
    </ul>
  );
};

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= CUT ? text : `${text.slice(0, CUT)}…`;
};
