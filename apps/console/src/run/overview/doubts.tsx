import { Button } from '@mantine/core';
import { useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useAnswer } from '../../api/use-answer.js';
import { DoubtCard } from '../../doubts/doubt-card.js';
import { plural } from '../../format/numbers.js';
import { Section } from '../../parts/layout.js';
import { Answered, Empty } from '../../parts/states.js';
import classes from '../run.module.css';

const SETTLED_SHOWN = 4;
const IN_FULL = 3;

/** The doubts of a run: the first open ones in full, the others in brief. */
export const Doubts = ({ runId }: { readonly runId: string }) => {
  const query = useAnswer(endpoints.runDoubts(runId));
  const [all, setAll] = useState(false);
  const doubts = query.data?.items ?? [];
  const open = doubts.filter(({ endedAt }) => endedAt === null);
  const settled = doubts.filter(({ endedAt }) => endedAt !== null);
  const shown = all ? settled : settled.slice(0, SETTLED_SHOWN);
  return (
    <Section title="Doubts" aside={<span className="dim num">{`${open.length} open of ${doubts.length}`}</span>}>
      <Answered query={query} what="doubts">
        {doubts.length === 0 ? (
          <Empty title="Nothing was ever in doubt">
            A doubt is opened when a call may have acted and nobody is left who will say so.
          </Empty>
        ) : (
          <div className={classes.tight}>
            {[...open, ...shown].map((doubt, index) => (
              <DoubtCard key={doubt.seq} doubt={doubt} brief={doubt.endedAt !== null || index >= IN_FULL} />
            ))}
            {shown.length < settled.length && (
              <Button variant="subtle" onClick={() => setAll(true)}>
                {plural(settled.length - shown.length, 'settled doubt')} more
              </Button>
            )}
          </div>
        )}
      </Answered>
    </Section>
  );
};
