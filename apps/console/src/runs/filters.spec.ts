import { isFiltered, isLabel, readFilters, runsQuery, toggled, writeFilters } from './filters.js';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 30);

describe('the filters of runs', () => {
  it('stand in the address and come back out of it', () => {
    const address = 'status=running&status=paused&label=team%3Dshop&text=pay&since=24h';
    const filters = readFilters(new URLSearchParams(address));
    expect(filters).toMatchObject({ status: ['running', 'paused'], label: ['team=shop'], text: 'pay', since: '24h' });
    expect(writeFilters(filters).toString()).toBe(address.replace('&label', '&label'));
    expect(isFiltered(filters)).toBe(true);
    expect(isFiltered(readFilters(new URLSearchParams()))).toBe(false);
  });

  it('drop what nobody could mean', () => {
    const filters = readFilters(new URLSearchParams('label=nothing&since=forever&status='));
    expect(filters).toMatchObject({ label: [], since: '', status: [] });
  });

  it('ask for a span by its first full minute, so that the question stays the same for that long', () => {
    const filters = readFilters(new URLSearchParams('since=1h'));
    expect(runsQuery(filters, NOW)['acceptedFrom']).toBe(Date.UTC(2026, 10, 30, 11, 0, 0));
    expect(runsQuery(filters, NOW + 20_000)).toEqual(runsQuery(filters, NOW));
  });

  it('ask between two times in the zone of the viewer', () => {
    const filters = readFilters(new URLSearchParams('from=2026-11-30T08%3A00&to=nonsense'));
    expect(runsQuery(filters, NOW)).toMatchObject({
      acceptedFrom: new Date('2026-11-30T08:00').getTime(),
      acceptedTo: undefined,
    });
  });

  it('know a label by its name and its value', () => {
    expect(['a=b', 'a=b=c', 'a=', '=b', 'a', ' a=b'].map(isLabel)).toEqual([true, true, false, false, false, false]);
  });

  it('are toggled', () => {
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
    expect(toggled(['b'], 'a')).toEqual(['b', 'a']);
  });
});
