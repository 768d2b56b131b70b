import { stepStatuses } from '@holdfast/api';
import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useList } from '../../api/use-answer.js';
import { ListView, NothingHere } from '../../parts/list-view.js';
import { SearchInput } from '../../parts/search-input.js';
import type { TabProps } from '../tab-props.js';
import { stepColumns } from './step-columns.js';
import classes from '../run.module.css';

export default function StepsTab({ run, openStep }: TabProps) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<string[]>([]);
  const [asked] = useDebouncedValue(text.trim(), 250);
  const list = useList(endpoints.steps(run.runId, { text: asked, status }));
  return (
    <>
      <div className={classes.toolbar} role="search" aria-label="Filter steps">
        <SearchInput label="Search steps" placeholder="Step or tool…" value={text} change={setText} />
        <MultiSelect
          aria-label="Status of steps"
          placeholder={status.length === 0 ? 'Any status' : ''}
          data={[...stepStatuses]}
          value={status}
          onChange={setStatus}
          clearable
          miw={170}
        />
      </div>
      <ListView
        label="Steps"
        what="step"
        list={list}
        columns={stepColumns}
        rowKey={({ stepId }) => stepId}
        open={({ stepId }) => openStep(stepId)}
        empty={
          <NothingHere filtered={asked !== '' || status.length > 0} what="step">
            Nothing has been scheduled yet.
          </NothingHere>
        }
      />
    </>
  );
}
