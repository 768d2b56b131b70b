import type { LaneView } from '@holdfast/api';
import { BarChart } from '@mantine/charts';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { countWords } from '../format/numbers.js';
import { durationWords } from '../format/time.js';
import type { Column } from '../parts/data-table.js';
import { DataTable } from '../parts/data-table.js';
import { PageHead, Section } from '../parts/layout.js';
import { Answered, Empty } from '../parts/states.js';
import { Ago } from '../parts/times.js';
import { toneColor } from '../parts/tone.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { Projections } from './projections.js';
import classes from './cluster.module.css';

const EVERY_MS = 2_000;

const columns: readonly Column<LaneView>[] = [
  {
    key: 'lane',
    title: 'Lane',
    track: '70px',
    cell: ({ lane, broken }) => (
      <b style={broken === null ? undefined : { color: toneColor('red') }}>
        {lane}
        {broken === null ? '' : ' stopped'}
      </b>
    ),
  },
  {
    key: 'owner',
    title: 'Owner',
    track: 'minmax(140px, 2fr)',
    card: 'line',
    cell: ({ owner }) =>
      owner === null ? <span className="dim">nobody</span> : <span className="mono wrap">{owner}</span>,
  },
  { key: 'epoch', title: 'Epoch', track: '60px', end: true, cell: ({ epoch }) => countWords(epoch) },
  {
    key: 'beat',
    title: 'Last beat',
    track: '90px',
    cell: ({ ownerBeatAt }) => (ownerBeatAt === null ? <span className="dim">unknown</span> : <Ago at={ownerBeatAt} />),
  },
  { key: 'runs', title: 'Open runs', track: '80px', end: true, cell: ({ runsOpen }) => countWords(runsOpen) },
  {
    key: 'waiting',
    title: 'Requests waiting',
    track: '116px',
    end: true,
    cell: ({ requestsWaiting }) => countWords(requestsWaiting),
  },
  { key: 'end', title: 'End', track: '90px', end: true, cell: ({ end }) => countWords(end) },
  {
    key: 'lag',
    title: 'Projection behind',
    track: 'minmax(130px, 1fr)',
    end: true,
    cell: ({ lagRecords, lagMs }) =>
      lagRecords === 0 ? (
        <span className="dim">up to date</span>
      ) : (
        `${countWords(lagRecords)} records, ${durationWords(lagMs)}`
      ),
  },
];

export default function LanesPage() {
  usePageTitle('Lanes');
  const query = useAnswer(endpoints.lanes(), { every: EVERY_MS });
  const lanes = query.data?.items ?? [];
  const broken = lanes.filter((lane) => lane.broken !== null);
  return (
    <>
      <PageHead
        title="Lanes"
        about="Each run lives on one lane, and one coordinator owns it at a time: the highest epoch in the log counts."
      />
      <Answered query={query} what="lanes">
        {broken.length > 0 && (
          <div className={classes.broken} role="alert">
            {broken.map(({ lane, broken: why }) => (
              <p key={lane}>
                <b>Lane {lane} stands still.</b> {why}
              </p>
            ))}
          </div>
        )}
        {lanes.length === 0 ? (
          <div className="panel">
            <Empty title="No lane is known">Lanes are made when the first service of the namespace starts.</Empty>
          </div>
        ) : (
          <>
            <Lag lanes={lanes} />
            <DataTable label="Lanes" columns={columns} rows={lanes} rowKey={({ lane }) => String(lane)} />
          </>
        )}
        <Projections />
      </Answered>
    </>
  );
}

/** How many runs each lane has, and how far the database is behind it. */
const Lag = ({ lanes }: { readonly lanes: readonly LaneView[] }) => {
  const most = Math.max(0, ...lanes.map(({ lagRecords }) => lagRecords));
  const total = lanes.reduce((sum, { runsOpen }) => sum + runsOpen, 0);
  return (
    <div className={classes.charts}>
      <Section title="Open runs by lane" aside={<span className="dim num">{countWords(total)} in all</span>}>
        <Bars lanes={lanes} name="runsOpen" label="Open runs" color="var(--hf-fill-blue)" />
      </Section>
      <Section
        title="Records behind by lane"
        aside={<span className="dim num">{most === 0 ? 'all up to date' : `${countWords(most)} at most`}</span>}
      >
        <Bars lanes={lanes} name="lagRecords" label="Records behind" color="var(--hf-fill-amber)" />
      </Section>
    </div>
  );
};

type BarsProps = {
  readonly lanes: readonly LaneView[];
  readonly name: 'runsOpen' | 'lagRecords';
  readonly label: string;
  readonly color: string;
};
/** The table below says the same. */
const Bars = ({ lanes, name, label, color }: BarsProps) =>
  lanes.every((lane) => lane[name] === 0) ? (
    <p className="dim">None.</p>
  ) : (
    <BarChart
      h={104}
      data={lanes.map((lane) => ({ lane: String(lane.lane), [name]: lane[name] }))}
      dataKey="lane"
      series={[{ name, label, color }]}
      withYAxis={false}
      gridAxis="none"
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false, maxBarSize: 22, radius: [2, 2, 0, 0] }}
    />
  );
