import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { PageHead } from '../parts/layout.js';
import { MoreButton } from '../parts/more-button.js';
import { Answered, Empty } from '../parts/states.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { DoubtCard } from './doubt-card.js';
import classes from './doubts.module.css';

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'settled', label: 'Settled' },
  { value: 'all', label: 'All' },
];

export default function DoubtsPage() {
  usePageTitle('Doubts');
  const [params, setParams] = useSearchParams();
  const show = params.get('show') ?? 'open';
  const list = useList(endpoints.doubts({ open: show === 'all' ? undefined : show === 'open' }));
  return (
    <>
      <PageHead
        title="Doubts"
        about="Calls that may have acted and whose witness is gone. Each is settled before its run makes another effect."
      >
        <SegmentedControl
          aria-label="Which doubts"
          data={choices}
          value={show}
          onChange={(value) => setParams(value === 'open' ? {} : { show: value }, { replace: true })}
        />
      </PageHead>
      <Answered query={list.query} what="doubts">
        {list.items.length === 0 ? (
          <div className="panel">
            <Empty title={show === 'open' ? 'Nothing is in doubt' : 'There are no doubts'}>
              What every run did to the world is known, as far as this gateway has read.
            </Empty>
          </div>
        ) : (
          <div className={classes.list}>
            {list.items.map((doubt) => (
              <DoubtCard key={`${doubt.runId} ${doubt.seq}`} doubt={doubt} withRun />
            ))}
          </div>
        )}
        <MoreButton list={list} />
      </Answered>
    </>
  );
}
