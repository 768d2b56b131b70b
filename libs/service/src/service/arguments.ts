export type Arguments = { readonly printConfig: boolean } | { readonly refused: string };

/** What follows the name of a service's program: nothing, or `--print-config`. Settings are variables. */
export const readArguments = ({ name }: { readonly name: string }, args: readonly string[]): Arguments => {
  const unknown = args.filter((arg) => arg !== '--print-config');
  if (unknown.length === 0) return { printConfig: args.length > 0 };
  return {
    refused:
      `${name}: ${unknown.join(' ')} is not known; it knows --print-config, which says with which settings it would ` +
      `run. Settings are environment variables: docs/configuration.md`,
  };
};
