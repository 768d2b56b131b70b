import { baseConfigSchema, describeConfig, type SettingRow } from '@holdfast/service';
import type { z } from 'zod';
import { coordinatorConfigSchema } from '../../../apps/coordinator/src/coordinator.config.js';
import { executorConfigSchema } from '../../../apps/executor/src/executor.config.js';
import { gatewayConfigSchema } from '../../../apps/gateway/src/gateway.config.js';
import { reconcilerConfigSchema } from '../../../apps/reconciler/src/reconciler.config.js';

export const services: Readonly<Record<string, z.ZodObject>> = {
  coordinator: coordinatorConfigSchema,
  executor: executorConfigSchema,
  reconciler: reconcilerConfigSchema,
  gateway: gatewayConfigSchema,
};

/** Variables that are no setting of a service, with who reads them and what for. */
export const beside: readonly { readonly variable: string; readonly by: string; readonly about: string }[] = [
  {
    variable: 'HOLDFAST_KAFKA_PASSWORD_FILE',
    by: 'services and command line',
    about: 'a file that holds the password of the user, instead of `HOLDFAST_KAFKA_PASSWORD`',
  },
  {
    variable: 'HOLDFAST_GATEWAY',
    by: 'command line',
    about: 'a gateway to look through, such as `http://127.0.0.1:8080`',
  },
  { variable: 'HOLDFAST_TOKEN', by: 'command line', about: 'the token that the gateway asks for' },
  { variable: 'HOLDFAST_TOKEN_FILE', by: 'command line', about: 'a file that holds it' },
  {
    variable: 'HOLDFAST_FAILPOINT',
    by: 'services, in tests',
    about: '`name[:n]=kill\\|stop\\|exit`, see [ARCHITECTURE](../ARCHITECTURE.md)',
  },
  {
    variable: 'HOLDFAST_FAILPOINT_FILE',
    by: 'services, in tests',
    about: 'the same in a file that may appear at any time, see [chaos](chaos.md)',
  },
];

/** What `docker-compose.yml` itself reads out of `.env`. */
export const ofCompose: readonly { readonly variable: string; readonly about: string; readonly usual: string }[] = [
  { variable: 'IMAGE', about: 'the image of all services', usual: 'holdfast' },
  { variable: 'CONSOLE_PORT', about: 'the port of this machine under which the console is found', usual: '8080' },
  { variable: 'POSTGRES_PASSWORD', about: 'the password of the database that it starts', usual: 'holdfast' },
];

export type Group = { readonly title: string; readonly readBy: string; readonly rows: readonly SettingRow[] };

/** Every setting once: what all services read, then what each one reads beside it. */
export const groups = (): readonly Group[] => {
  const common = describeConfig(baseConfigSchema);
  const isCommon = new Set(common.map(({ key }) => key));
  const own = Object.entries(services).map(([name, schema]) => ({
    title: `The ${name}`,
    readBy: name,
    rows: describeConfig(schema).filter(({ key }) => !isCommon.has(key)),
  }));
  return [{ title: 'All services', readBy: 'all services', rows: common }, ...own];
};
