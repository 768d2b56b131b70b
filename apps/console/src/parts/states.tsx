import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.js';
import classes from './parts.module.css';

/** What went wrong, and what to do about it. */
export const ProblemNote = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const { title, detail, advice, code, status, errors = [] } = asProblem(error);
  return (
    <div className={classes.problem} role="alert">
      <strong>{title}</strong>
      <p className="wrap">{detail}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ at, message }) => (
            <li key={`${at} ${message}`}>
              <span className="mono">{at}</span> {message}
            </li>
          ))}
        </ul>
      )}
      {advice !== undefined && <p className="wrap">{advice}</p>}
      <p className="dim mono">{status > 0 ? `${code} · ${status}` : code}</p>
      {retry !== undefined && (
        <Button mt={10} variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
};

export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className={classes.empty}>
    <strong>{title}</strong>
    {children !== undefined && <p>{children}</p>}
  </div>
);

const widths = [92, 78, 86, 64, 81, 71];
export const Loading = ({ what, lines = 6 }: { readonly what: string; readonly lines?: number }) => (
  <div className={classes.loading} role="status" aria-label={`Loading ${what}`}>
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} className={classes.bone} style={{ width: `${widths[index % widths.length]}%` }} />
    ))}
  </div>
);

type Asked = { readonly isPending: boolean; readonly error: unknown; readonly refetch: () => unknown };

/** Loading or failed; `children` once there is an answer, also an old one while the gateway is away. */
export const Answered = ({
  query,
  what,
  children,
}: {
  readonly query: Asked & { readonly data: unknown };
  readonly what: string;
  readonly children: ReactNode;
}) => {
  if (query.data !== undefined) return <>{children}</>;
  if (query.error) return <ProblemNote error={query.error} retry={() => void query.refetch()} />;
  return <Loading what={what} />;
};
