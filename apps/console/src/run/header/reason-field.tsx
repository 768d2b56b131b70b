import { Textarea } from '@mantine/core';

type Props = { readonly reason: string; readonly change: (reason: string) => void; readonly focus?: boolean };

/** Why somebody asks for it. */
export const ReasonField = ({ reason, change, focus = false }: Props) => (
  <Textarea
    label="Reason"
    description="Kept in the history with your name."
    maxLength={2_000}
    autosize
    minRows={2}
    value={reason}
    onChange={(event) => change(event.currentTarget.value)}
    data-autofocus={focus || undefined}
  />
);
