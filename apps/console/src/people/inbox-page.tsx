import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { PageHead } from '../parts/layout.js';
import { Empty } from '../parts/states.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { Questions } from './questions.js';

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'answered', label: 'Answered' },
  { value: 'expired', label: 'Expired' },
  { value: 'withdrawn', label: 'Withdrawn' },
];

/** What people are asked, over all runs: the ones that run out first come first. */
export default function InboxPage() {
  usePageTitle('Inbox');
  const [params, setParams] = useSearchParams();
  const status = params.get('status') ?? 'open';
  const list = useList(endpoints.questions({ status: [status] }));
  return (
    <>
      <PageHead title="Inbox" about="What no machine can decide, what plans ask, and calls that need somebody’s leave.">
        <SegmentedControl
          aria-label="Which questions"
          data={choices}
          value={status}
          onChange={(value) => setParams(value === 'open' ? {} : { status: value }, { replace: true })}
        />
      </PageHead>
      <Questions
        list={list}
        withRun
        empty={
          <Empty title={status === 'open' ? 'Nobody is waiting for an answer' : `No question was ${status}`}>
            New questions show up here by themselves.
          </Empty>
        }
      />
    </>
  );
}
