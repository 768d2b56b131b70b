import type { AnswerView } from '@holdfast/api';
import { Button, Modal } from '@mantine/core';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { useChange, type Change } from '../../api/use-change.js';
import { ProblemNote } from '../../parts/states.js';
import { spoken } from '../../parts/tone.js';
import classes from '../run.module.css';

export type ChangeDialogProps = {
  readonly title: string;
  /** What the button that does it says. */
  readonly confirm: string;
  readonly danger?: boolean;
  /** What is asked for; null where the form is not complete. */
  readonly change: () => Change | null;
  readonly onClose: () => void;
  readonly done?: (answer: AnswerView) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
};

/** A dialog that asks for one change, and stays open while that is not answered or was refused. */
export const ChangeDialog = (props: ChangeDialogProps) => {
  const { title, confirm, danger = false, change, onClose, done, disabled = false, children } = props;
  const mutation = useChange((answer) => {
    if (answer.outcome === 'pending') return;
    done?.(answer);
    onClose();
  });
  useFocusBack();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const asked = change();
    if (asked !== null) mutation.mutate(asked);
  };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submit} className={classes.form}>
        {children}
        {mutation.error && <ProblemNote error={mutation.error} />}
        {mutation.data && <NotDone answer={mutation.data} />}
        <div className={classes.formEnd}>
          <Button variant="default" onClick={onClose}>
            Leave it as it is
          </Button>
          <Button type="submit" color={danger ? 'red.9' : undefined} loading={mutation.isPending} disabled={disabled}>
            {confirm}
          </Button>
        </div>
      </form>
    </Modal>
  );
};

/** An answer that is no success: still to come, or a refusal. */
export const NotDone = ({ answer }: { readonly answer: AnswerView }) => {
  if (answer.outcome === 'pending') {
    return (
      <p role="status">
        It is in the log, and the coordinator has not answered yet. It will be read; press again to ask for the answer.
        Nothing is done twice by that.
      </p>
    );
  }
  if (answer.outcome !== 'refused') return null;
  return (
    <p role="alert">
      Refused{answer.code === undefined ? '' : ` (${spoken(answer.code)})`}: {answer.message ?? 'no reason was given'}
    </p>
  );
};

/** When the dialog is gone the focus is where it was before. */
const useFocusBack = (): void => {
  useEffect(() => {
    const before = document.activeElement;
    return () => void setTimeout(() => before instanceof HTMLElement && before.focus());
  }, []);
};
