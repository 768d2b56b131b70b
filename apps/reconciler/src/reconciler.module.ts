import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import type { ToolSet } from '@holdfast/sdk';
import { CLOCK, CONFIG, FATAL, IDS, LOG, LOGGER, METRICS, TIMER, TOPIC_NAMES, TRACES } from '@holdfast/service';
import type { Metrics, Traces } from '@holdfast/telemetry';
import type { LoadedTools } from '@holdfast/tool-files';
import { ReconcilerService } from './reconciler.service.js';
import { Reconciling, type ReconcilingParts } from './reconciling.js';

/** `LoadedTools` */
export const TOOLS = Symbol('TOOLS');

type Injected = [
  ReconcilingParts['config'],
  LoadedTools,
  ReconcilingParts['log'],
  ReconcilingParts['names'],
  ReconcilingParts['clock'],
  ReconcilingParts['timer'],
  ReconcilingParts['ids'],
  ReconcilingParts['logger'],
  ReconcilingParts['fatal'],
  Metrics,
  Traces,
];

const reconciling: FactoryProvider<Reconciling> = {
  provide: Reconciling,
  inject: [CONFIG, TOOLS, LOG, TOPIC_NAMES, CLOCK, TIMER, IDS, LOGGER, FATAL, METRICS, TRACES],
  useFactory: (...[config, loaded, log, names, clock, timer, ids, logger, fatal, metrics, traces]: Injected) => {
    const { tools, close: closeTools } = loaded;
    sayWhatCanBeAsked(tools, logger);
    return new Reconciling({
      config,
      tools,
      closeTools,
      log,
      names,
      clock,
      timer,
      ids,
      logger,
      fatal,
      metrics,
      traces,
    });
  },
};

const sayWhatCanBeAsked = (tools: ToolSet, logger: ReconcilingParts['logger']): void => {
  const asked = tools.all.filter((tool) => tool.verify !== null).map((tool) => tool.ref);
  if (asked.length > 0) logger.info({ tools: asked }, 'can ask these tools');
  else logger.warn('no tool with verify is loaded (HOLDFAST_TOOLS): every doubt will be left to a person');
};

/** The reconciler around the tools it can ask. */
@Module({})
export class ReconcilerModule {
  static with(tools: LoadedTools): DynamicModule {
    return {
      module: ReconcilerModule,
      providers: [{ provide: TOOLS, useValue: tools }, reconciling, ReconcilerService],
    };
  }
}
