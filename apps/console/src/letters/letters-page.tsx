import type { DeadLetterView } from '@holdfast/api';
import { useSearchParams } from 'react-router';
import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { bytesWords } from '../format/numbers.js';
import type { Column } from '../parts/data-table.js';
import { PageHead } from '../parts/layout.js';
import { ListView, NothingHere } from '../parts/list-view.js';
import { Ago } from '../parts/times.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { LetterDrawer } from './letter-drawer.js';

const columns: readonly Column<DeadLetterView>[] = [
  {
    key: 'what',
    title: 'Why',
    track: 'minmax(200px, 3fr)',
    card: 'line',
    cell: ({ code, reason }) => (
      <span className="wrap">
        <b className="mono">{code}</b> {reason}
      </span>
    ),
  },
  {
    key: 'from',
    title: 'From',
    track: 'minmax(150px, 1.4fr)',
    card: 'line',
    cell: ({ topic, partition, offset }) => <span className="mono wrap">{`${topic} ${partition}/${offset}`}</span>,
  },
  { key: 'by', title: 'Found by', track: '110px', cell: ({ by }) => <span className="wrap">{by}</span> },
  { key: 'bytes', title: 'Size', track: '78px', end: true, cell: ({ bytes }) => bytesWords(bytes) },
  { key: 'at', title: 'When', track: '84px', card: 'bare', cell: ({ at }) => <Ago at={at} /> },
  {
    key: 'again',
    title: 'Sent again',
    track: '84px',
    end: true,
    cell: ({ sentAgain }) => (sentAgain === 0 ? '–' : `${sentAgain} ×`),
  },
];

export default function DeadLettersPage() {
  usePageTitle('Dead letters');
  const list = useList(endpoints.deadLetters(), { every: 10_000 });
  const [params, setParams] = useSearchParams();
  const open = (id: string | null): void => setParams(id === null ? {} : { letter: id }, { replace: true });
  return (
    <>
      <PageHead
        title="Dead letters"
        about="Records that nobody could read, kept whole. Nothing is done with them by itself."
      />
      <ListView
        label="Dead letters"
        what="dead letter"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        open={({ id }) => open(id)}
        empty={
          <NothingHere filtered={false} what="dead letter">
            Everything that was written could be read.
          </NothingHere>
        }
      />
      <LetterDrawer id={params.get('letter')} onClose={() => open(null)} />
    </>
  );
}
