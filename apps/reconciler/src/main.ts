import { loadTools, maskPrinting } from '@holdfast/sdk';
import { runService } from '@holdfast/service';
import { reconcilerConfigSchema } from './reconciler.config.js';
import { ReconcilerModule } from './reconciler.module.js';

// Tools may print what they like: none of it leaves with a secret.
maskPrinting(process.stdout, process.stderr);
await runService({
  name: 'reconciler',
  config: reconcilerConfigSchema,
  module: async (config) => ReconcilerModule.with(await loadTools(config.tools)),
});
