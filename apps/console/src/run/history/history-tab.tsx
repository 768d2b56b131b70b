import type { HistoryEntry } from '@holdfast/api';
import { SegmentedControl, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useList } from '../../api/use-answer.js';
import type { Column } from '../../parts/data-table.js';
import { Json } from '../../parts/json.js';
import { ListView, NothingHere } from '../../parts/list-view.js';
import { SearchInput } from '../../parts/search-input.js';
import { Sentence } from '../../parts/sentence.js';
import { ClockTime } from '../../parts/times.js';
import { toggled } from '../../runs/filters.js';
import type { TabProps } from '../tab-props.js';
import { eventTypes } from './event-types.js';
import classes from '../run.module.css';

const columns: readonly Column<HistoryEntry>[] = [
  {
    key: 'seq',
    title: 'Event',
    track: '58px',
    card: 'bare',
    cell: ({ seq }) => (
      <span className="mono">
        <span className="visually-hidden">Event </span>
        {seq}
      </span>
    ),
  },
  { key: 'at', title: 'Time', track: '100px', card: 'bare', cell: ({ at }) => <ClockTime at={at} /> },
  {
    key: 'type',
    title: 'Type',
    track: '156px',
    card: 'bare',
    cell: ({ type }) => <span className="mono">{type}</span>,
  },
  {
    key: 'words',
    title: 'What happened',
    track: 'minmax(200px, 3fr)',
    card: 'line',
    cell: ({ words }) => (
      <span className="wrap">
        <Sentence text={words} />
      </span>
    ),
  },
  { key: 'who', title: 'By', track: 'minmax(60px, 0.5fr)', card: 'none', cell: ({ principal }) => principal ?? '' },
];

/** Every record of the run, with its JSON as it stands in the log. */
export default function HistoryTab({ run }: TabProps) {
  const [text, setText] = useState('');
  const [type, setType] = useState<string[]>([]);
  const [order, setOrder] = useState('desc');
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [asked] = useDebouncedValue(text.trim(), 250);
  const list = useList(endpoints.history(run.runId, { text: asked, type, order }));
  const types = useMemo(() => eventTypes(list.items), [list.items]);
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Filter the history">
        <SearchInput label="Search the history" placeholder="Words, step, value…" value={text} change={setText} />
        <TagsInput
          aria-label="Types of events"
          placeholder={type.length === 0 ? 'Any type of event' : ''}
          data={[...types]}
          value={type}
          onChange={setType}
          clearable
          miw={200}
        />
        <SegmentedControl
          aria-label="Order"
          data={[
            { value: 'desc', label: 'Latest first' },
            { value: 'asc', label: 'From the beginning' },
          ]}
          value={order}
          onChange={setOrder}
        />
      </div>
      <ListView
        label="History"
        what="event"
        list={list}
        columns={columns}
        rowKey={({ seq }) => String(seq)}
        open={({ seq }) => setOpened(toggled(opened, String(seq)))}
        below={({ seq, data, offset }) =>
          opened.includes(String(seq)) ? (
            <>
              <p className="dim">Offset {offset} in its lane</p>
              <Json value={data} label={`Event ${seq}`} />
            </>
          ) : null
        }
        empty={<NothingHere filtered={asked !== '' || type.length > 0} what="event" />}
      />
    </>
  );
}
