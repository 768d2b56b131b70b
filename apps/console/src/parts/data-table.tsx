import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type CSSProperties, type ReactNode } from 'react';
import { RowLead } from './row-lead.js';
import { useDistanceFromTop } from './use-distance-from-top.js';
import classes from './data-table.module.css';

export type Column<T> = {
  readonly key: string;
  readonly title: string;
  /** Its share of the width, as a track of a CSS grid. */
  readonly track: string;
  readonly cell: (row: T) => ReactNode;
  readonly end?: boolean;
  /** On a narrow page rows become cards: `line` takes a whole line, `bare` goes without its title, `none` is left out. */
  readonly card?: 'line' | 'bare' | 'none';
};

export type DataTableProps<T> = {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Where a row leads to: a page, or something that opens. The first column is the link. */
  readonly to?: (row: T) => string;
  readonly open?: (row: T) => void;
  readonly more?: () => void;
  readonly height?: number;
  /** What is shown under a row that is open. */
  readonly below?: (row: T) => ReactNode;
};

/** Rows by the thousand: only those near the window are there. Semantics are those of a table. */
export const DataTable = <T,>(props: DataTableProps<T>) => {
  const { label, columns, rows, rowKey, more, height = 38 } = props;
  const body = useRef<HTMLDivElement>(null);
  const margin = useDistanceFromTop(body);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 8,
    scrollMargin: margin,
    getItemKey: (index) => rowKey(rows[index] as T),
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 25) more?.();
  }, [last, rows.length, more]);
  const style = { '--tracks': columns.map(({ track }) => track).join(' ') } as CSSProperties;
  return (
    <div
      className={`panel ${classes.table}`}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      style={style}
    >
      <Head columns={columns} />
      <div ref={body} role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            role="row"
            aria-rowindex={index + 2}
            className={classes.row}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <Cells {...props} row={rows[index] as T} />
          </div>
        ))}
      </div>
    </div>
  );
};

const Head = <T,>({ columns }: { readonly columns: readonly Column<T>[] }) => (
  <div role="rowgroup" className={classes.head}>
    <div role="row" aria-rowindex={1} className={classes.headRow}>
      {columns.map(({ key, title, end }) => (
        <span key={key} role="columnheader" className={end === true ? classes.end : undefined}>
          {title}
        </span>
      ))}
    </div>
  </div>
);

const Cells = <T,>({ row, columns, to, open, below }: DataTableProps<T> & { readonly row: T }) => {
  const under = below?.(row);
  return (
    <>
      {columns.map(({ key, title, cell, end, card }, at) => (
        <div
          key={key}
          role="cell"
          className={`${classes.cell} ${end === true ? classes.end : ''}`}
          data-card={card ?? 'titled'}
          data-title={title}
        >
          {at === 0 ? <RowLead to={to?.(row)} open={open && (() => open(row))} cell={cell(row)} /> : cell(row)}
        </div>
      ))}
      {under !== undefined && under !== null && (
        <div role="cell" className={classes.under} aria-colspan={columns.length}>
          {under}
        </div>
      )}
    </>
  );
};
