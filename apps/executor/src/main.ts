import { runService } from '@holdfast/service';
import { executorConfigSchema } from './executor.config.js';
import { ExecutorModule } from './executor.module.js';

await runService({ name: 'executor', config: executorConfigSchema, module: () => ExecutorModule });
