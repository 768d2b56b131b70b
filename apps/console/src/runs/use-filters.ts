import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { readFilters, writeFilters, type RunFilters } from './filters.js';

export const useFilters = (): readonly [RunFilters, (change: Partial<RunFilters>) => void] => {
  const [params, setParams] = useSearchParams();
  const filters = useMemo(() => readFilters(params), [params]);
  const change = (part: Partial<RunFilters>): void =>
    setParams((old) => writeFilters({ ...readFilters(old), ...part }), { replace: true });
  return [filters, change];
};
