import { Table } from '@mantine/core';
import { countWords } from '../../format/numbers.js';
import { durationWords } from '../../format/time.js';
import type { Group } from './layout.js';
import classes from './timeline.module.css';

const statuses = ['succeeded', 'failed', 'doubtful'] as const;

const summed = ({ rows }: Group) => {
  const counts: Record<string, number> = {};
  let busy = 0;
  for (const { attempt, from, to } of rows.flat()) {
    counts[attempt.status] = (counts[attempt.status] ?? 0) + 1;
    busy += to - from;
  }
  return { counts, busy };
};

/** The timeline in words and numbers. */
export const GroupTable = ({ groups }: { readonly groups: readonly Group[] }) => (
  <div className={`panel ${classes.tableFrame}`} tabIndex={0} role="group" aria-label="Attempts in numbers">
    <Table verticalSpacing={6} horizontalSpacing="md" miw={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Who or what</Table.Th>
          <Table.Th ta="right">Attempts</Table.Th>
          <Table.Th ta="right">At a time</Table.Th>
          {statuses.map((status) => (
            <Table.Th key={status} ta="right">
              {status}
            </Table.Th>
          ))}
          <Table.Th ta="right">Busy</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map((group) => {
          const { counts, busy } = summed(group);
          return (
            <Table.Tr key={group.name}>
              <Table.Td className="wrap">{group.name}</Table.Td>
              <Table.Td ta="right">{countWords(group.count)}</Table.Td>
              <Table.Td ta="right">{countWords(group.rows.length)}</Table.Td>
              {statuses.map((status) => (
                <Table.Td key={status} ta="right">
                  {countWords(counts[status] ?? 0)}
                </Table.Td>
              ))}
              <Table.Td ta="right">{durationWords(busy)}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  </div>
);
