import type { LiveEvent } from '@holdfast/api';
import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { keysTouchedBy } from './live-keys.js';
import { LiveStream, type LiveState } from './live-stream.js';
import { Throttle } from './throttle.js';

/** Beyond so many pages a list is not asked for again with every event: whoever reads there presses a button. */
export const LIVE_PAGES_MAX = 4;
const ATTEMPT_PAGES_MAX = 60;
const staysLive = ({ queryKey, state }: Query): boolean => {
  const pages = (state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0;
  return pages <= (queryKey[2] === 'attempts' ? ATTEMPT_PAGES_MAX : LIVE_PAGES_MAX);
};

/**
 * Asks again for what an event has made old. A question that is under way is let end first: where answers take long and
 * events come quickly, it would begin for ever anew.
 */
const askAgain = (client: QueryClient, queryKey: readonly unknown[]): boolean => {
  if (client.isFetching({ queryKey }) > 0) return false;
  void client.invalidateQueries({ queryKey, predicate: staysLive });
  return true;
};

type Live = { readonly state: LiveState; readonly last: LiveEvent | null; readonly retry: () => void };

const LiveContext = createContext<Live>({ state: { state: 'connecting' }, last: null, retry: () => undefined });
export const useLive = (): Live => useContext(LiveContext);

/** Keeps what is shown true: what an event touches is asked for again, often enough to look live and no oftener. */
export const LiveProvider = ({ path, children }: { readonly path: string; readonly children: ReactNode }) => {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>({ state: 'connecting' });
  const [last, setLast] = useState<LiveEvent | null>(null);
  const stream = useRef<LiveStream | null>(null);

  useEffect(() => {
    let newest: LiveEvent | null = null;
    let first = true;
    const refetch = new Throttle((key) => askAgain(client, JSON.parse(key) as unknown[]));
    const show = new Throttle(() => {
      setLast(newest);
      return true;
    });
    setLast(null);
    stream.current = new LiveStream(path, {
      state: setState,
      event: (event) => {
        newest = event;
        show.call('last', 250);
        for (const { key, everyMs } of keysTouchedBy(event)) refetch.call(JSON.stringify(key), everyMs);
      },
      opened: () => {
        if (!first) void client.invalidateQueries();
        first = false;
      },
    });
    return () => {
      stream.current?.close();
      refetch.close();
      show.close();
    };
  }, [path, client]);

  const value = useMemo(() => ({ state, last, retry: () => stream.current?.retryNow() }), [state, last]);
  return <LiveContext value={value}>{children}</LiveContext>;
};
