import { join } from 'node:path';
import { eventually, repositoryRoot } from '@holdfast/dev';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

type Said = Readonly<Record<string, unknown>>;
export type Called = { readonly isError: boolean; readonly text: string; readonly said: Said };

const PROGRAM = join(repositoryRoot, 'apps', 'cli', 'bin', 'holdfast.mjs');

/** The official client of the Model Context Protocol, as a model's program has it. */
export class ModelClient {
  private constructor(private readonly client: Client) {}

  /** Over the door of a gateway. */
  static over(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ModelClient> {
    const options = { requestInit: { headers: { ...headers } } };
    return ModelClient.open(new StreamableHTTPClientTransport(new URL('/mcp', url), options) as Transport);
  }

  /** Over `holdfast mcp` in a process of its own, which is spoken to on its standard input and output. */
  static beside(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<ModelClient> {
    const all = { PATH: process.env['PATH'] ?? '', ...env };
    const how = { command: process.execPath, args: [PROGRAM, ...args], env: all, stderr: 'ignore' as const };
    return ModelClient.open(new StdioClientTransport(how));
  }

  private static async open(transport: Transport): Promise<ModelClient> {
    const client = new Client({ name: 'a-model', version: '1.0.0' });
    await client.connect(transport);
    try {
      // With the schemas of the answers the client checks each of them.
      await client.listTools();
      return new ModelClient(client);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async tools(): Promise<readonly string[]> {
    return (await this.descriptions()).map(({ name }) => name);
  }

  async descriptions(): Promise<readonly { readonly name: string }[]> {
    return (await this.client.listTools()).tools;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
    const { content, isError = false, structuredContent = {} } = await this.client.callTool({ name, arguments: args });
    const [{ text = '' } = {}] = content as readonly { readonly text?: string }[];
    return { isError: isError === true, text, said: structuredContent as Said };
  }

  /** Calls until what is said is what is waited for. */
  async until(name: string, args: Record<string, unknown>, isSo: (said: Said) => boolean): Promise<Said> {
    let last: Said = {};
    await eventually(`${name} ${JSON.stringify(args)}`, async () => isSo((last = (await this.call(name, args)).said)));
    return last;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
