import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { Section } from '../../parts/layout.js';
import { Answered } from '../../parts/states.js';
import { Sentence } from '../../parts/sentence.js';
import { ClockTime } from '../../parts/times.js';
import classes from '../run.module.css';

/** Why it is not moving, what it did, what it cost, what a cancel or a resume would do: the same text as everywhere. */
export const Explanation = ({ runId }: { readonly runId: string }) => {
  const query = useAnswer(endpoints.explain(runId));
  const { data } = query;
  return (
    <Section
      title="What is going on"
      aside={
        data && (
          <span className="dim">
            as of event {data.seq}, <ClockTime at={data.at} />
          </span>
        )
      }
    >
      <Answered query={query} what="the explanation">
        {data && (
          <>
            <p className={classes.headline}>
              <Sentence text={data.headline} />
            </p>
            {data.parts.map(({ about, title, lines }) => (
              <div key={about} className={classes.part}>
                <h3>{title}</h3>
                <ul>
                  {lines.map((line) => (
                    <li key={line}>
                      <Sentence text={line} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </>
        )}
      </Answered>
    </Section>
  );
};
