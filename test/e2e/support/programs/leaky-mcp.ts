import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

/** A server of tools that tells everybody what it was begun with: in descriptions, answers, errors, and what it prints. */
const own = process.env['OWN_KEY'] ?? '';
const ways = `${own}, ${JSON.stringify({ own })}, ${encodeURIComponent(own)}, ${Buffer.from(own).toString('base64')}`;
const server = new McpServer({ name: 'leaky', version: '1.0.0' });
process.stderr.write(`begun with ${own}\n`);
server.registerTool('tell', { description: `Begun with ${own}` }, async () => ({
  content: [{ type: 'text', text: ways }],
  structuredContent: { own, ways },
}));
server.registerTool('fail', { description: `Fails with ${own}` }, async () => ({
  isError: true,
  content: [{ type: 'text', text: `cannot: ${ways}` }],
}));
await server.connect(new StdioServerTransport());
