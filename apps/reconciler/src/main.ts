import { maskPrinting } from '@holdfast/sdk';
import { createLogger, runService } from '@holdfast/service';
import { loadToolsAndFiles } from '@holdfast/tool-files';
import { reconcilerConfigSchema } from './reconciler.config.js';
import { ReconcilerModule } from './reconciler.module.js';

// Tools may print what they like: none of it leaves with a secret.
maskPrinting(process.stdout, process.stderr);
await runService({
  name: 'reconciler',
  config: reconcilerConfigSchema,
  module: async ({ tools, instance, logLevel }) => {
    const logger = createLogger({ service: 'reconciler', instance, logLevel });
    return ReconcilerModule.with(await loadToolsAndFiles(tools, { logger }));
  },
});
