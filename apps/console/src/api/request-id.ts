/** An id under which a change may be sent again. `randomUUID` is there only over https and on this machine. */
export const newRequestId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};
