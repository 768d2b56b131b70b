/** `Client` of the SDK, over which everything that changes something goes. */
export const CLIENT = Symbol('CLIENT');
