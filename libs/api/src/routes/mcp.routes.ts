import { z } from 'zod';
import { route } from './route.js';

/** One message of JSON-RPC 2.0; what is in it is checked by whoever reads it. */
const message = z.looseObject({ jsonrpc: z.literal('2.0') });

/** The door for models: the Model Context Protocol, each request by itself. */
export const mcpRoutes = {
  callMcp: route({
    id: 'callMcp',
    // Each tool asks for the role of the route that it stands for.
    role: 'viewer',
    method: 'POST',
    path: '/mcp',
    tag: 'api',
    summary: 'The Model Context Protocol (streamable HTTP): tools for models, where HOLDFAST_MCP opens it',
    description:
      'One message of JSON-RPC; `Accept` must name `application/json` and `text/event-stream`. There are no sessions. ' +
      'Whoever asks sees and calls the tools that their roles allow.',
    body: message,
    answers: {
      200: { says: 'The answer to a request', body: message },
      202: { says: 'A notification was taken' },
    },
    problems: [404, 413, 415],
  }),
} as const;
