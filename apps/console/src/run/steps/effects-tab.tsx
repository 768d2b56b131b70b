import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { endpoints } from '../../api/endpoints.js';
import { useList } from '../../api/use-answer.js';
import { ListView, NothingHere } from '../../parts/list-view.js';
import type { TabProps } from '../tab-props.js';
import { effectColumns } from './step-columns.js';
import classes from '../run.module.css';

const choices = [
  { value: 'all', label: 'All' },
  { value: 'applied', label: 'Applied' },
  { value: 'in_doubt', label: 'In doubt' },
  { value: 'absent', label: 'Absent' },
  { value: 'conflict', label: 'Conflict' },
];

/** The ledger: every call that changes something outside, and what became of it. */
export default function EffectsTab({ run, openStep }: TabProps) {
  const [effect, setEffect] = useState('all');
  const list = useList(endpoints.effects(run.runId, effect === 'all' ? {} : { effect: [effect] }));
  return (
    <>
      <div className={classes.toolbar}>
        <SegmentedControl aria-label="Which effects" data={choices} value={effect} onChange={setEffect} />
        <span className="dim">Every attempt at a step that changes something outside, and what became of it.</span>
      </div>
      <ListView
        label="Effects"
        what="effect"
        list={list}
        columns={effectColumns}
        rowKey={({ stepId, attempt }) => `${stepId}/${attempt}`}
        open={({ stepId }) => openStep(stepId)}
        empty={
          <NothingHere filtered={effect !== 'all'} what="effect">
            Nothing that changes the world has been ordered.
          </NothingHere>
        }
      />
    </>
  );
}
