/** What a member says of itself when the group assigns seats. `fresh`: it heard from the group within its session. */
export type SeatClaim = { readonly member: string; readonly held: readonly number[]; readonly fresh: boolean };

/**
 * Shares seats 0 to `seats - 1` among members: at most one seat of difference, and members keep what they hold as far
 * as their share allows. Pure: the same claims in any order give the same answer. Where two say they hold a seat (one
 * was evicted and does not know), the one that is fresh keeps it, else the first by name.
 */
export function assignSeats(seats: number, claims: readonly SeatClaim[]): ReadonlyMap<string, readonly number[]> {
  const ordered = [...claims].sort(byTrust);
  const holder = new Map<number, string>();
  for (const { member, held } of ordered) {
    for (const seat of held) if (seat >= 0 && seat < seats && !holder.has(seat)) holder.set(seat, member);
  }
  const heldBy = (member: string): number[] =>
    [...holder]
      .filter(([, name]) => name === member)
      .map(([seat]) => seat)
      .sort((a, b) => a - b);
  // Whoever holds most gets the larger shares, so that nothing moves just because of the remainder.
  const names = ordered.map(({ member }) => member);
  const bySize = [...names].sort((a, b) => heldBy(b).length - heldBy(a).length || compareText(a, b));
  const larger = seats % Math.max(1, names.length);
  const shares = new Map<string, number[]>();
  const free = new Set(Array.from({ length: seats }, (_, seat) => seat));
  const quota = (index: number): number => Math.floor(seats / names.length) + (index < larger ? 1 : 0);
  for (const [index, member] of bySize.entries()) {
    const kept = heldBy(member).slice(0, quota(index));
    for (const seat of kept) free.delete(seat);
    shares.set(member, kept);
  }
  for (const [index, member] of bySize.entries()) {
    const share = shares.get(member) ?? [];
    for (const seat of free) {
      if (share.length >= quota(index)) break;
      share.push(seat);
      free.delete(seat);
    }
    share.sort((a, b) => a - b);
  }
  return shares;
}

function byTrust(a: SeatClaim, b: SeatClaim): number {
  return Number(b.fresh) - Number(a.fresh) || compareText(a.member, b.member);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The claim as the bytes a member sends along when it joins. */
export function encodeClaim({ held, fresh }: Omit<SeatClaim, 'member'>): Buffer {
  return Buffer.from(JSON.stringify({ held, fresh }));
}

/** Reads a claim; a member that sends none, or one of another make, holds nothing. */
export function decodeClaim(member: string, bytes: Uint8Array | null | undefined): SeatClaim {
  const nothing = { member, held: [], fresh: false };
  if (bytes === null || bytes === undefined || bytes.length === 0) return nothing;
  try {
    const claim = JSON.parse(Buffer.from(bytes).toString()) as Partial<SeatClaim> | null;
    if (claim === null || !Array.isArray(claim.held)) return nothing;
    const held = claim.held.filter((seat: unknown): seat is number => Number.isInteger(seat));
    return { member, held, fresh: claim.fresh === true };
  } catch {
    return nothing;
  }
}
