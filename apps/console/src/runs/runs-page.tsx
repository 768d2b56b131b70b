import { useMemo } from 'react';
import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { now } from '../format/clock.js';
import { PageHead } from '../parts/layout.js';
import { ListView, NothingHere } from '../parts/list-view.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { CountersStrip } from './counters-strip.js';
import { FilterBar } from './filter-bar.js';
import { isFiltered, runsQuery, toggled } from './filters.js';
import { runColumns } from './run-columns.js';
import { useFilters } from './use-filters.js';

export default function RunsPage() {
  usePageTitle('Runs');
  const [filters, change] = useFilters();
  const query = useMemo(() => runsQuery(filters, now()), [filters]);
  const list = useList(endpoints.runs(query));
  return (
    <>
      <PageHead title="Runs" />
      <CountersStrip chosen={filters.status} toggle={(status) => change({ status: toggled(filters.status, status) })} />
      <FilterBar filters={filters} change={change} />
      <ListView
        label="Runs"
        what="run"
        list={list}
        columns={runColumns}
        rowKey={({ runId }) => runId}
        to={({ runId }) => `/runs/${encodeURIComponent(runId)}`}
        empty={
          <NothingHere filtered={isFiltered(filters)} what="run">
            Submit one with “holdfast submit plan.json”, or POST it to /v1/runs. It shows up here by itself.
          </NothingHere>
        }
      />
    </>
  );
}
