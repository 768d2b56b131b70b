/** Below this a difference is the resolution of the header, not a clock that is wrong. */
const WORTH_MS = 2_500;
let offset = 0;

/** Countdowns go by the gateway's clock where the viewer's own is off. */
export const heardServerTime = (date: string | null): void => {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const difference = at + 500 - Date.now();
  offset = Math.abs(difference) > WORTH_MS ? difference : 0;
};

export const now = (): number => Date.now() + offset;
