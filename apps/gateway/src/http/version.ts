/** Version of the API and of this gateway. */
export const VERSION = '0.1.0';
