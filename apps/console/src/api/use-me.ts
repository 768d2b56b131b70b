import type { Me } from '@holdfast/api';
import { endpoints } from './endpoints.js';
import { missingFor, type Asks } from './missing.js';
import { useAnswer } from './use-answer.js';

/** Who the gateway takes the person at this page for. */
export const useMe = (): Me | undefined => useAnswer(endpoints.me()).data;

export const useMissing = (): ((route: Asks) => string | null) => {
  const me = useMe();
  return (route) => missingFor(me, route);
};
