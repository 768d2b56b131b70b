import type { QuestionView } from '@holdfast/api';
import { Countdown } from '../parts/times.js';
import { useNow } from '../parts/use-now.js';

/** Who is asked: now, and later if nobody has answered. */
export const Ladder = ({ question: { assignees, openedAt, status } }: { readonly question: QuestionView }) => {
  const now = useNow();
  return (
    <p>
      <span className="dim">For </span>
      {assignees.map(({ to, afterMs }, index) => (
        <span key={`${to} ${afterMs}`}>
          {index > 0 && ', '}
          {to}
          {status === 'open' && openedAt + afterMs > now && (
            <span className="dim">
              {' '}
              in <Countdown at={openedAt + afterMs} />
            </span>
          )}
        </span>
      ))}
    </p>
  );
};
