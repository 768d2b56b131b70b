import { stepStatuses } from '@holdfast/api';
import { MultiSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useList } from '../../api/use-answer.js';
import { ListView, NothingHere } from '../../parts/list-view.js';
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
        <TextInput
          type="search"
          aria-label="Search steps"
          placeholder="Step or tool…"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
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
