import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { pathWith } from './query-string.js';
import type { Endpoint, Page } from './endpoints.js';
import { getJson } from './http.js';

export type AskOptions = { readonly every?: number; readonly enabled?: boolean; readonly keep?: boolean };

/** One answer, asked again when something live says so, or every so many ms. */
export const useAnswer = <T>({ key, path, schema }: Endpoint<T>, options: AskOptions = {}): UseQueryResult<T> =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => getJson(path, schema, signal),
    refetchInterval: options.every ?? false,
    enabled: options.enabled ?? true,
    ...(options.keep === true ? { placeholderData: keepPreviousData } : {}),
  });

export type Listed<T> = {
  readonly query: UseInfiniteQueryResult;
  readonly items: readonly T[];
  readonly more: () => void;
  readonly pages: number;
};

/** A list page by page; `more` brings the next one where there is one. */
export const useList = <T>(endpoint: Endpoint<Page<T>>, options: AskOptions = {}): Listed<T> => {
  const query = useInfiniteQuery({
    queryKey: endpoint.key,
    queryFn: ({ pageParam, signal }) => getJson(nextPath(endpoint.path, pageParam), endpoint.schema, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<T>) => page.next ?? null,
    refetchInterval: options.every ?? false,
    enabled: options.enabled ?? true,
  });
  const pages = query.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  const more = (): void => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
  };
  return { query, items, more, pages: pages?.length ?? 0 };
};

const nextPath = (path: string, cursor: string | null): string => {
  if (cursor === null) return path;
  const [base = path, text = ''] = path.split('?');
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) (query[name] ??= []).push(value);
  return pathWith(base, { ...query, cursor });
};
