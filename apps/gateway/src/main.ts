import { fileURLToPath } from 'node:url';
import { runService } from '@holdfast/service';
import { gatewayConfigSchema } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import { setUpHttp } from './http/setup.js';
import { watchHttp } from './http/watching.js';

/** Where the console's files are once it is built. */
const assets = fileURLToPath(new URL('../../console/dist', import.meta.url));

await runService({
  name: 'gateway',
  config: gatewayConfigSchema,
  module: () => GatewayModule,
  http: (app, config) => {
    watchHttp(app, config);
    setUpHttp(app, config, assets);
  },
});
