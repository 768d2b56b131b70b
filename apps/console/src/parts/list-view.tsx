import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { LIVE_PAGES_MAX } from '../api/live.js';
import type { Listed } from '../api/use-answer.js';
import { plural } from '../format/numbers.js';
import { DataTable, type DataTableProps } from './data-table.js';
import { Empty, Loading, ProblemNote } from './states.js';
import classes from './list-view.module.css';

type Props<T> = Omit<DataTableProps<T>, 'rows' | 'more'> & {
  readonly list: Listed<T>;
  /** What the rows are, in the singular. */
  readonly what: string;
  readonly many?: string;
  readonly empty: ReactNode;
};

/** A list in each of its states: loading, failed, empty, there, with more to come. */
export const ListView = <T,>({ list, what, many = `${what}s`, empty, ...table }: Props<T>) => {
  const { query, items } = list;
  if (query.isPending)
    return (
      <div className="panel">
        <Loading what={many} />
      </div>
    );
  if (items.length === 0 && query.error) return <ProblemNote error={query.error} retry={() => void query.refetch()} />;
  if (items.length === 0) return <div className="panel">{empty}</div>;
  return (
    <>
      {query.error && <ProblemNote error={query.error} retry={() => void query.refetch()} />}
      <DataTable {...table} rows={items} more={list.more} />
      <p className={classes.foot} role="status">
        {query.isFetchingNextPage ? 'Loading more…' : foot(items.length, query.hasNextPage, what, many)}
        {query.hasNextPage && !query.isFetchingNextPage && (
          <Button variant="subtle" size="compact-xs" onClick={list.more}>
            Load more
          </Button>
        )}
        {list.pages > LIVE_PAGES_MAX && (
          <>
            {' · not live this far down '}
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={() => void query.refetch()}
              loading={query.isRefetching}
            >
              Refresh
            </Button>
          </>
        )}
      </p>
    </>
  );
};

const foot = (count: number, hasMore: boolean, ...[what, many]: [string, string]): string =>
  hasMore ? `The first ${plural(count, what, many)}` : `${plural(count, what, many)}, that is all`;

export const NothingHere = ({
  filtered,
  what,
  children,
}: {
  readonly filtered: boolean;
  readonly what: string;
  readonly children?: ReactNode;
}) =>
  filtered ? (
    <Empty title={`No ${what} fits these filters`}>Take a filter away to see more.</Empty>
  ) : (
    <Empty title={`There are no ${what}s`}>{children}</Empty>
  );
