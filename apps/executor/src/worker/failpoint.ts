const isSet = (process.env['HOLDFAST_FAILPOINT'] ?? '') !== '';

/**
 * The failpoints of the service library, loaded only when one is set: that library brings the web framework with it,
 * and a worker has to be back quickly.
 */
export const failpoint: (name: string) => void = isSet
  ? (await import('@holdfast/service')).failpoint
  : () => undefined;
