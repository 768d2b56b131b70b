import { routes, type AskedOf } from '@holdfast/api';
import { mcpServer } from '@holdfast/mcp-server';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { unauthenticated } from '../auth/access-problems.js';
import { signedIn } from '../auth/principal.js';
import type { Asker } from '../asking.js';
import { askBeside, handlersBeside } from '../mcp/beside.js';
import { PARTS, type HttpParts } from '../parts.js';
import { ProblemError } from '../problems.js';
import { Asked, Serves, Who } from '../serves.js';
import { VERSION } from '../version.js';

type Asking = Omit<Asker, 'body'>;

/** The door for models. Each request stands by itself, so that any gateway can answer it and none has to remember. */
@Controller()
export class McpController {
  private readonly handlers: ReturnType<typeof handlersBeside>;

  constructor(@Inject(PARTS) private readonly parts: HttpParts) {
    this.handlers = handlersBeside(parts);
  }

  @Serves(routes.callMcp)
  async call(
    @Asked() { body }: AskedOf<typeof routes.callMcp>,
    @Who() { principal: id }: Asking,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { mcp } = this.parts.config;
    if (mcp === 'off') throw closed();
    const principal = signedIn(request);
    if (principal === null) throw unauthenticated();
    const server = mcpServer({
      ask: askBeside(this.handlers, principal, { principal: id, key: null }),
      roles: async () => principal.roles,
      caller: id,
      readOnly: mcp === 'read',
      version: VERSION,
      failed: (error, tool) => this.parts.logger.error({ err: error, tool }, 'a call of a model failed'),
    });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response, body);
  }
}

const closed = (): ProblemError =>
  new ProblemError(404, {
    code: 'mcp_off',
    detail: 'This gateway does not speak the Model Context Protocol.',
    advice: 'HOLDFAST_MCP opens it: read for tools that only look, write for all.',
  });
