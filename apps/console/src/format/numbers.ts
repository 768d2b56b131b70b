const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 12345 as `12,345`. */
export const countWords = (count: number): string => grouped.format(count);

const KIB = 1_024;
export const bytesWords = (bytes: number): string => {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${(bytes / KIB).toFixed(1)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
};

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${countWords(count)} ${count === 1 ? one : many}`;

/**
 * An amount as it is known, with thousands apart. Decimal text is never turned into a number: money must not be rounded
 * by showing it.
 */
export const amountWords = (amount: string): string => {
  const match = /^(-?)(\d+)(\.\d+)?(.*)$/s.exec(amount.trim());
  if (match === null) return amount;
  const [, sign = '', whole = '', fraction = '', rest = ''] = match;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}${rest}`;
};

/** How much of a limit is used, for drawing only: 0 to 1, or null where nothing bounds it. */
export const share = (used: string, limit: string | null): number | null => {
  if (limit === null) return null;
  const most = Number.parseFloat(limit);
  const part = Number.parseFloat(used);
  if (!Number.isFinite(most) || !Number.isFinite(part)) return null;
  if (most <= 0) return part > 0 ? 1 : 0;
  return Math.min(1, Math.max(0, part / most));
};

/** The name of a kind of budget, for people: `calls:pay@2` is `Calls of pay@2`. */
export const budgetName = (kind: string): string => {
  const names: Readonly<Record<string, string>> = {
    steps: 'Steps',
    effects: 'Effects',
    calls: 'Calls',
    tokensIn: 'Tokens in',
    tokensOut: 'Tokens out',
    children: 'Runs begun',
    depth: 'Depth of runs',
    idle: 'Time without progress',
    idleMs: 'Time without progress',
    wall: 'Wall time',
  };
  const [, main = kind, of] = /^([^:./ ]+)[:./ ]?(.*)$/s.exec(kind) ?? [];
  if (main === 'money') return of ? `Money, ${of}` : 'Money';
  const name = names[main] ?? kind;
  return of && names[main] !== undefined ? `${name} of ${of}` : name;
};
