import type { AttemptView, StepView } from '@holdfast/api';
import { countWords } from '../../format/numbers.js';
import type { Column } from '../../parts/data-table.js';
import { Status } from '../../parts/status.js';
import { ClockTime, Lasting } from '../../parts/times.js';

export const stepColumns: readonly Column<StepView>[] = [
  {
    key: 'step',
    title: 'Step',
    track: 'minmax(170px, 2fr)',
    card: 'line',
    cell: ({ stepId }) => <span className="mono wrap">{stepId}</span>,
  },
  { key: 'status', title: 'Status', track: '118px', card: 'bare', cell: ({ status }) => <Status of={status} /> },
  { key: 'tool', title: 'Tool', track: 'minmax(120px, 1.2fr)', card: 'bare', cell: ({ tool }) => tool },
  { key: 'policy', title: 'Policy', track: '96px', card: 'none', cell: ({ policy }) => policy },
  { key: 'attempts', title: 'Attempts', track: '66px', end: true, cell: ({ attempts }) => countWords(attempts) },
  { key: 'scheduled', title: 'Scheduled', track: '104px', cell: ({ scheduledAt }) => <ClockTime at={scheduledAt} /> },
  {
    key: 'took',
    title: 'Took',
    track: '78px',
    end: true,
    cell: ({ scheduledAt, endedAt }) => <Lasting from={scheduledAt} to={endedAt} />,
  },
];

export const effectColumns: readonly Column<AttemptView>[] = [
  {
    key: 'step',
    title: 'Step · attempt',
    track: 'minmax(170px, 2fr)',
    card: 'line',
    cell: ({ stepId, attempt }) => (
      <span className="mono wrap">
        {stepId} · {attempt}
      </span>
    ),
  },
  {
    key: 'effect',
    title: 'Effect',
    track: '124px',
    card: 'bare',
    cell: ({ effect, status }) => (effect === null ? <Status of={status} /> : <Status of={effect} />),
  },
  { key: 'tool', title: 'Tool', track: 'minmax(120px, 1.2fr)', card: 'bare', cell: ({ tool }) => tool },
  { key: 'policy', title: 'Policy', track: '104px', cell: ({ policy }) => policy },
  {
    key: 'session',
    title: 'Held by',
    track: 'minmax(90px, 1fr)',
    cell: ({ session }) =>
      session === null ? <span className="dim">nobody known</span> : <span className="mono wrap">{session}</span>,
  },
  {
    key: 'when',
    title: 'Known since',
    track: '104px',
    cell: ({ endedAt }) => (endedAt === null ? <span className="dim">not yet</span> : <ClockTime at={endedAt} />),
  },
];
