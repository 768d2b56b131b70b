import type { AttemptView } from '@holdfast/api';
import { AreaChart } from '@mantine/charts';
import { useMemo } from 'react';
import { countWords } from '../../format/numbers.js';
import { clockWords, durationWords } from '../../format/time.js';
import { bucketsOf } from './layout.js';
import type { Span } from './view.js';
import classes from './timeline.module.css';

const BUCKETS = 60;

/** How many attempts ended, over the time that is seen. */
export const Rate = ({ attempts, span }: { readonly attempts: readonly AttemptView[]; readonly span: Span }) => {
  const seen = useMemo(
    () => attempts.filter(({ endedAt }) => endedAt !== null && endedAt >= span.from && endedAt <= span.to),
    [attempts, span.from, span.to],
  );
  const buckets = useMemo(() => bucketsOf(seen, span, BUCKETS), [seen, span.from, span.to]);
  const width = (span.to - span.from) / BUCKETS;
  const most = Math.max(0, ...buckets.map(({ ended }) => ended));
  return (
    <figure className={classes.rate}>
      <figcaption className="dim">
        {countWords(seen.length)} ended in view; at most {countWords(most)} in {durationWords(width)}
      </figcaption>
      <AreaChart
        h={72}
        data={buckets}
        dataKey="at"
        series={[{ name: 'ended', label: 'Attempts ended', color: 'var(--hf-fill-green)' }]}
        curveType="step"
        withDots={false}
        withYAxis={false}
        withXAxis={false}
        gridAxis="none"
        fillOpacity={0.35}
        strokeWidth={1.2}
        tooltipAnimationDuration={0}
        areaChartProps={{ accessibilityLayer: false, margin: { top: 2, right: 0, bottom: 0, left: 0 } }}
        areaProps={{ isAnimationActive: false }}
        tooltipProps={{ labelFormatter: (at: unknown) => (typeof at === 'number' ? clockWords(at) : '') }}
      />
    </figure>
  );
};
