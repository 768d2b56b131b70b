import { endpoints } from '../api/endpoints.js';
import { useList } from '../api/use-answer.js';
import { Questions } from '../people/questions.js';
import { Empty } from '../parts/states.js';
import type { TabProps } from './tab-props.js';

export default function QuestionsTab({ run }: TabProps) {
  const list = useList(endpoints.questions({ run: run.runId }));
  return (
    <Questions
      list={list}
      empty={
        <Empty title="Nobody was ever asked">
          People are asked what no machine can decide, what a plan asks, and whether a call may be made.
        </Empty>
      }
    />
  );
}
