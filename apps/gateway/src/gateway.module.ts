import { Module } from '@nestjs/common';
import { ProjectingModule } from './projecting.module.js';

/** The operator's side: rows for people to look at. */
@Module({ imports: [ProjectingModule] })
export class GatewayModule {}
