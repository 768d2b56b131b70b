import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { topicNames } from '@holdfast/contracts';
import { baseConfigSchema, Health, LOGGER } from '@holdfast/service';
import { silentLogger, systemClock, systemIds, systemTimer, type Answer, type Client } from '@holdfast/sdk';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { z } from 'zod';
import { StoreUnavailable } from '../store/row-store.js';
import { accessOf } from './auth/access.js';
import { authSettings } from './auth/auth.config.js';
import type { HttpSettings } from './http.config.js';
import { around, controllers } from './http.module.js';
import { Bell } from './live/bell.js';
import { PARTS, type HttpParts } from './parts.js';
import { setUpHttp } from './setup.js';

@Module({})
class Parts {}

const away = () => Promise.reject(new StoreUnavailable('no database here'));

const partsOf = (client: Partial<Client>, settings: HttpSettings, more: Partial<HttpParts>): HttpParts => ({
  config: { ...baseConfigSchema.parse({ kafkaBrokers: 'localhost:1', lanes: '4' }), mcp: settings.mcp },
  database: { connected: away },
  states: { at: away },
  client: client as Client,
  access: accessOf(settings, { database: { connected: away }, clock: systemClock, logger: silentLogger, fetch }),
  log: {} as HttpParts['log'],
  names: topicNames('holdfast'),
  projections: { shadow: () => null, broken: () => null, rebuild: async () => undefined },
  bell: new Bell(),
  health: new Health(),
  logger: silentLogger as HttpParts['logger'],
  clock: systemClock,
  ids: systemIds,
  timer: systemTimer,
  ...more,
});

export type TestGateway = { readonly url: string; close(): Promise<void> };
const usual: HttpSettings = {
  ...z.object(authSettings).parse({}),
  httpHost: '127.0.0.1',
  corsOrigins: [],
  ratePerMinute: 0,
  addressRatePerMinute: 0,
  bodyBytes: 10_000,
  behindProxy: false,
  mcp: 'off',
};

/** The HTTP side alone, over a client and other parts that the test gives. */
export const openGateway = async (
  client: Partial<Client>,
  more: {
    readonly settings?: Partial<HttpSettings>;
    readonly assets?: string;
    readonly parts?: Partial<HttpParts>;
  } = {},
): Promise<TestGateway> => {
  const settings = { ...usual, ...more.settings };
  const parts = partsOf(client, settings, more.parts ?? {});
  const providers = [{ provide: PARTS, useValue: parts }, { provide: LOGGER, useValue: parts.logger }, ...around];
  const module: DynamicModule = { module: Parts, controllers: [...controllers], providers };
  const options = { logger: false, bodyParser: false, forceCloseConnections: true } as const;
  const app = await NestFactory.create<NestExpressApplication>(module, options);
  setUpHttp(app, settings, more.assets ?? 'nowhere');
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
};

export const answered = (more: Partial<Answer> = {}): Answer => ({
  requestId: 'q-1',
  runId: 'doc-1',
  outcome: 'accepted',
  lane: 1,
  seq: 7,
  ...more,
});
