import type { ReactNode } from 'react';
import classes from './parts.module.css';

export const PageHead = ({
  title,
  children,
  about,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly about?: string;
}) => (
  <header className={classes.pageHead}>
    <h1>{title}</h1>
    <span className={classes.grow} />
    {children}
    {about !== undefined && <p>{about}</p>}
  </header>
);

export const Section = ({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className={`panel ${classes.section}`} aria-label={title}>
    <div className={classes.sectionHead}>
      <h2>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

export type Fact = readonly [name: string, value: ReactNode];
/** Names with values; what has no value is left out. */
export const Facts = ({ facts }: { readonly facts: readonly (Fact | null | false)[] }) => (
  <dl className={classes.facts}>
    {facts.map(
      (fact) =>
        fact && (
          <div key={fact[0]} style={{ display: 'contents' }}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

export const Labels = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) => (
  <span className={classes.labels}>
    {Object.entries(labels).map(([name, value]) => (
      <span key={name} className={classes.label} title={`${name}=${value}`}>
        {name}={value}
      </span>
    ))}
  </span>
);
