import { loadTools } from '@holdfast/sdk';
import { runService } from '@holdfast/service';
import { reconcilerConfigSchema } from './reconciler.config.js';
import { ReconcilerModule } from './reconciler.module.js';

await runService({
  name: 'reconciler',
  config: reconcilerConfigSchema,
  module: async (config) => ReconcilerModule.with(await loadTools(config.tools)),
});
