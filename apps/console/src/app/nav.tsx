import {
  IconHelp,
  IconInbox,
  IconListDetails,
  IconMailX,
  IconRoute,
  IconServer2,
  IconZoomQuestion,
  type TablerIcon,
} from '@tabler/icons-react';
import { NavLink } from 'react-router';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { useMe } from '../api/use-me.js';
import { countWords } from '../format/numbers.js';
import { useHealth } from './health-banner.js';
import classes from './shell.module.css';

type Item = {
  readonly to: string;
  readonly name: string;
  readonly Icon: TablerIcon;
  readonly count?: number;
  readonly of?: string;
};

const Items = ({ items }: { readonly items: readonly Item[] }) => (
  <ul className={classes.navGroup}>
    {items.map(({ to, name, Icon, count = 0, of }) => (
      <li key={to}>
        <NavLink to={to} className={classes.navLink}>
          <Icon size={17} stroke={1.8} aria-hidden />
          {name}
          {count > 0 && (
            <span className={classes.count} aria-label={`${count} ${of ?? ''}`} role="img">
              {countWords(count)}
            </span>
          )}
        </NavLink>
      </li>
    ))}
  </ul>
);

const EVERY_MS = 15_000;

export const Nav = () => {
  const { data: counters } = useAnswer(endpoints.counters(), { every: EVERY_MS });
  const { data: health } = useHealth();
  const me = useMe();
  return (
    <nav aria-label="Pages" style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
      <Items
        items={[
          { to: '/runs', name: 'Runs', Icon: IconListDetails },
          { to: '/inbox', name: 'Inbox', Icon: IconInbox, count: counters?.questionsOpen ?? 0, of: 'open questions' },
          {
            to: '/doubts',
            name: 'Doubts',
            Icon: IconZoomQuestion,
            count: counters?.doubtsOpen ?? 0,
            of: 'open doubts',
          },
        ]}
      />
      <p className={classes.navTitle}>Behind them</p>
      <Items
        items={[
          { to: '/executors', name: 'Executors', Icon: IconServer2 },
          { to: '/lanes', name: 'Lanes', Icon: IconRoute },
          {
            to: '/dead-letters',
            name: 'Dead letters',
            Icon: IconMailX,
            count: counters?.deadLetters ?? 0,
            of: 'dead letters',
          },
        ]}
      />
      <p className={classes.navTitle}>About</p>
      <Items items={[{ to: '/help', name: 'Help', Icon: IconHelp }]} />
      {health !== undefined && (
        <p className={classes.navFoot}>
          {health.namespace} · {health.lanes} lanes
          <br />
          version {health.version}
          {me?.authentication === 'none' && (
            <>
              <br />
              nobody is asked who they are
            </>
          )}
        </p>
      )}
    </nav>
  );
};
