import type { projectionsSchema } from '@holdfast/api';
import type { z } from 'zod';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { countWords, plural } from '../format/numbers.js';
import { Section } from '../parts/layout.js';
import { Answered } from '../parts/states.js';
import { toneColor } from '../parts/tone.js';
import classes from './cluster.module.css';

type Shadow = NonNullable<z.output<typeof projectionsSchema>['shadow']>;
const comparedWords = ({ rowsCompared, rounds, at }: Shadow): string => {
  const place = at === null ? '' : `; now lane ${at.lane} at offset ${countWords(at.offset)}`;
  return `${plural(rowsCompared, 'row')} compared, ${plural(rounds, 'lane')} whole${place}.`;
};

/** Whether the database says what the log says: the comparison that goes on all the time. */
export const Projections = () => {
  const query = useAnswer(endpoints.projections(), { every: 5_000 });
  const { data } = query;
  const shadow = data?.shadow ?? null;
  return (
    <div className={classes.lag} style={{ marginTop: 14 }}>
      <Section title="Database against log">
        <Answered query={query} what="the comparison">
          {data !== undefined && (
            <>
              <p>{shadow === null ? 'This gateway does not compare its rows with the log.' : comparedWords(shadow)}</p>
              {shadow !== null &&
                (shadow.differs === null ? (
                  <p style={{ color: toneColor('green') }}>Every row that was compared is what the log says.</p>
                ) : (
                  <p role="alert" style={{ color: toneColor('red') }}>
                    Lane {shadow.differs.lane}, offset {shadow.differs.offset}: {shadow.differs.detail}. Rebuild with
                    “holdfast projections rebuild”.
                  </p>
                ))}
              <p className="dim">
                {plural(data.items.length, 'partition')} read,{' '}
                {countWords(data.items.reduce((sum, { lagRecords }) => sum + lagRecords, 0))} records behind in all.
              </p>
            </>
          )}
        </Answered>
      </Section>
    </div>
  );
};
