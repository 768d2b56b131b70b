import { useEffect } from 'react';
import type { Endpoint, Page } from '../../api/endpoints.js';
import { useList, type Listed } from '../../api/use-answer.js';

/** A list with all of its pages, one after the other, up to a bound. */
export const useAll = <T>(endpoint: Endpoint<Page<T>>, most: number): Listed<T> & { readonly complete: boolean } => {
  const list = useList(endpoint);
  const { hasNextPage, isFetching, error } = list.query;
  const wants = hasNextPage && list.items.length < most;
  const { more } = list;
  useEffect(() => {
    if (wants && !isFetching && !error) more();
  });
  return { ...list, complete: !hasNextPage };
};
