import { Button, MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { SearchInput } from '../parts/search-input.js';
import { endReasons } from './reasons.js';
import { isFiltered, isLabel, type RunFilters } from './filters.js';
import classes from './runs.module.css';

type Props = { readonly filters: RunFilters; readonly change: (part: Partial<RunFilters>) => void };

const sinceChoices = [
  { value: '1h', label: 'the last hour' },
  { value: '24h', label: 'the last 24 hours' },
  { value: '7d', label: 'the last 7 days' },
  { value: '30d', label: 'the last 30 days' },
  { value: 'between', label: 'between two times' },
];

export const FilterBar = ({ filters, change }: Props) => (
  <form className={classes.filters} role="search" aria-label="Filter runs" onSubmit={(event) => event.preventDefault()}>
    <TextFilter filters={filters} change={change} />
    <MultiSelect
      aria-label="Reason of the end"
      placeholder={filters.reason.length === 0 ? 'Any end' : ''}
      data={endReasons}
      value={[...filters.reason]}
      onChange={(reason) => change({ reason })}
      clearable
      className={classes.field}
    />
    <TagsInput
      aria-label="Labels, as name=value"
      placeholder={filters.label.length === 0 ? 'Labels: name=value' : ''}
      value={[...filters.label]}
      onChange={(label) => change({ label: label.filter(isLabel) })}
      clearable
      className={classes.field}
    />
    <TimeFilter filters={filters} change={change} />
    {isFiltered(filters) && (
      <Button
        variant="subtle"
        onClick={() => change({ status: [], reason: [], label: [], text: '', since: '', from: '', to: '', tenant: '' })}
      >
        Clear filters
      </Button>
    )}
  </form>
);

const TextFilter = ({ filters, change }: Props) => {
  const [text, setText] = useState(filters.text);
  useEffect(() => setText(filters.text), [filters.text]);
  const settle = useDebouncedCallback((value: string) => change({ text: value.trim() }), 250);
  return (
    <SearchInput
      label="Search by run id, label or reason"
      placeholder="Run id, label, reason…"
      value={text}
      change={(value) => {
        setText(value);
        settle(value);
      }}
      className={classes.search}
    />
  );
};

const TimeFilter = ({ filters, change }: Props) => {
  const [between, setBetween] = useState(filters.from !== '' || filters.to !== '');
  const pick = (value: string | null): void => {
    setBetween(value === 'between');
    change(value === 'between' ? { since: '' } : { since: value ?? '', from: '', to: '' });
  };
  return (
    <>
      <Select
        aria-label="Accepted"
        placeholder="Any time"
        data={sinceChoices}
        value={between ? 'between' : filters.since || null}
        onChange={pick}
        clearable
        className={classes.field}
      />
      {between && (
        <>
          <TextInput
            type="datetime-local"
            aria-label="Accepted from"
            value={filters.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            aria-label="Accepted until"
            value={filters.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
        </>
      )}
    </>
  );
};
