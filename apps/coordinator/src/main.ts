import { runService } from '@holdfast/service';
import { coordinatorConfigSchema } from './coordinator.config.js';
import { CoordinatorModule } from './coordinator.module.js';

await runService({ name: 'coordinator', config: coordinatorConfigSchema, module: () => CoordinatorModule });
