import { resolve } from 'node:path';
import type { Json } from '@holdfast/programs';
import { withReferencedSecrets } from '@holdfast/sdk';
import type { ServerSettings } from './section/section.js';
import type { Endpoint } from './server/connection.js';

type Texts = Readonly<Record<string, string>>;

/** How a server is reached, with the secrets that its settings name. `directory` is the file's. */
export const endpointOf = (settings: ServerSettings, directory: string): Endpoint => {
  const { answerBytes } = settings;
  if ('url' in settings) {
    const headers = withReferencedSecrets(settings.headers as Json) as Texts;
    return { kind: 'http', url: settings.url, headers, answerBytes };
  }
  const { command, args, env, cwd = '.' } = settings;
  return {
    kind: 'stdio',
    command: /^\.{1,2}\//.test(command) ? resolve(directory, command) : command,
    args: withReferencedSecrets(args as Json) as readonly string[],
    env: withReferencedSecrets(env as Json) as Texts,
    cwd: resolve(directory, cwd),
    answerBytes,
  };
};
