import { runService } from '@holdfast/service';
import { gatewayConfigSchema } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';

await runService({ name: 'gateway', config: gatewayConfigSchema, module: () => GatewayModule });
