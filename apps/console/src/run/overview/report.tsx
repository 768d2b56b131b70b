import type { RunDetail } from '@holdfast/api';
import { countWords } from '../../format/numbers.js';
import { Section } from '../../parts/layout.js';
import { Status } from '../../parts/status.js';

type EffectsReport = NonNullable<RunDetail['report']>;
const lists = [
  ['inDoubt', 'in_doubt'],
  ['running', 'open'],
  ['conflicts', 'conflict'],
  ['absent', 'absent'],
] as const;

/** What the run did to the world, as its end says it. */
export const Report = ({ report }: { readonly report: EffectsReport }) => (
  <Section title="Report of its effects">
    <p>
      <Status of="applied" /> <b className="num">{countWords(report.applied)}</b>
    </p>
    {lists.map(([list, status]) => {
      const total = report.totals[list];
      if (total === 0) return null;
      return (
        <details key={list} open={list !== 'absent'}>
          <summary>
            <Status of={status} /> <b className="num">{countWords(total)}</b>
          </summary>
          <ul>
            {report[list].map(({ stepId, attempt, tool, note }) => (
              <li key={`${stepId}/${attempt}`} className="wrap">
                <span className="mono">
                  {stepId} · {attempt}
                </span>{' '}
                {tool}
                {note !== undefined && <span className="dim"> {note}</span>}
              </li>
            ))}
          </ul>
          {total > report[list].length && <p className="dim">and {countWords(total - report[list].length)} more</p>}
        </details>
      );
    })}
    {report.compensation !== undefined && (
      <p>
        Undoing: {report.compensation.outcome}, {countWords(report.compensation.undone)} undone,{' '}
        {countWords(report.compensation.heldTotal)} still held.
      </p>
    )}
  </Section>
);
