import { Module } from '@nestjs/common';
import { HttpModule } from './http/http.module.js';
import { ProjectingModule } from './projecting.module.js';

/** The operator's side: rows for people to look at, and the API over them. */
@Module({ imports: [ProjectingModule, HttpModule.over(ProjectingModule)] })
export class GatewayModule {}
