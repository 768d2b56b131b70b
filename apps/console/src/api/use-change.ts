import { answerSchema, type AnswerView } from '@holdfast/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { postJson } from './http.js';
import { ApiProblem } from './problem.js';
import { newRequestId } from './request-id.js';

/** How long the gateway waits for the coordinator's word before it answers that the request is in the log. */
const WAIT_MS = 5_000;

export type Change = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/**
 * Sends one change. The request id stays the same until it has been answered: pressing again after a lost answer asks
 * for the same thing, not twice. Another body is another request.
 */
export const useChange = (done?: (answer: AnswerView) => void) => {
  const client = useQueryClient();
  const sent = useRef<{ readonly text: string; readonly requestId: string } | null>(null);
  return useMutation({
    mutationFn: ({ path, body }: Change) => {
      const text = JSON.stringify([path, body]);
      if (sent.current?.text !== text) sent.current = { text, requestId: newRequestId() };
      return postJson(path, { ...body, requestId: sent.current.requestId, waitMs: WAIT_MS }, answerSchema);
    },
    onSuccess: (answer) => {
      if (answer.outcome !== 'pending') sent.current = null;
      void client.invalidateQueries();
      if (answer.outcome !== 'refused') done?.(answer);
    },
    onError: (error) => {
      // What was refused was answered: another try is another request.
      if (error instanceof ApiProblem && error.problem.status >= 400 && error.problem.status < 500) sent.current = null;
    },
  });
};
