import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './data-table.module.css';

type LeadProps = {
  readonly to: string | undefined;
  readonly open: (() => void) | undefined;
  readonly cell: ReactNode;
};
/** The one thing in a row that takes the focus; it reaches over all of the row. */
export const RowLead = ({ to, open, cell }: LeadProps) => {
  if (to !== undefined) {
    return (
      <Link to={to} className={classes.lead} data-row>
        {cell}
      </Link>
    );
  }
  if (open === undefined) return <>{cell}</>;
  return (
    <button type="button" className={classes.lead} onClick={open} data-row>
      {cell}
    </button>
  );
};
