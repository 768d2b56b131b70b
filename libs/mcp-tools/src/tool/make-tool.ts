import { InvalidTool, ToolFailure, defineTool, jsonObject, unknown, describeError } from '@holdfast/sdk';
import type { Tool, ToolContext, ToolQuestion, ToolVerdict } from '@holdfast/sdk';
import { hasEffect } from '@holdfast/events';
import { schemaProblem, type Json } from '@holdfast/programs';
import type { ServerSettings, ToolSettings } from '../section/section.js';
import { filled } from '../section/template.js';
import type { OfferedTool } from '../server/offered.js';
import { ServerRefused, type McpServer } from '../server/server.js';
import { inputOf, markerOf, prepared, type Args } from './prepare.js';
import { judge } from './read-back.js';
import { resultOf, resultType, textOf, type McpResult } from './result.js';

const DESCRIPTION_MAX = 4_096;
const SCHEMA_BYTES_MAX = 64 * 1024;

/** What nobody has classified may do anything, and nothing protects a repeat. */
const UNCLASSIFIED: ToolSettings = { policy: 'unprotected', errors: 'unknown', retryErrors: true };

export type Making = { readonly server: McpServer; readonly settings: ServerSettings };

/** One tool of a server as a tool of this runtime. */
export const makeTool = ({ server, settings }: Making, offered: OfferedTool): Tool => {
  const own = settings.tools[offered.name] ?? UNCLASSIFIED;
  const call = new Calls(server, offered.name, own);
  checkSchemas(server, offered, own);
  const { description } = offered;
  const definition = {
    name: `${server.options.name}.${own.as ?? offered.name}`,
    version: settings.version,
    ...(description === undefined ? {} : { description: description.slice(0, DESCRIPTION_MAX).toWellFormed() }),
    ...(settings.queue === undefined ? {} : { queue: settings.queue }),
    ...(own.approvals === undefined ? {} : { approvals: own.approvals }),
    input: jsonObject(inputOf(offered.inputSchema, own)),
    output: resultType(offered.outputSchema),
    timeoutMs: own.callMs ?? settings.callMs,
    spawns: 'command' in settings && settings.outlives,
    run: (args: Args, context: ToolContext) => call.run(args, context),
  };
  const ask =
    own.readBack === undefined ? {} : { verify: (args: Args, question: ToolQuestion) => call.ask(args, question) };
  // What the file says together with what the server says is checked there, as of a module in plain JavaScript.
  return defineTool({ ...definition, ...ask, replay: replayOf(own) } as unknown as Parameters<
    typeof defineTool
  >[0]) as Tool;
};

const replayOf = ({ policy, settleMs, keyTtlMs }: ToolSettings): unknown => {
  if (policy === 'pure' || policy === 'repeatable') return policy;
  const settle = settleMs === undefined ? {} : { settleMs };
  return { policy, ...settle, ...(keyTtlMs === undefined ? {} : { keyTtlMs }) };
};

const checkSchemas = (server: McpServer, offered: OfferedTool, own: ToolSettings): void => {
  const { inputSchema, outputSchema } = offered;
  const refuse = (problem: string): never => {
    throw new InvalidTool(
      `mcp.${server.options.name}: tool ${offered.name}: ${problem}; or leave it out with only: […]`,
    );
  };
  if (Buffer.byteLength(JSON.stringify({ inputSchema, outputSchema })) > SCHEMA_BYTES_MAX) {
    refuse(`its schemas are larger than ${SCHEMA_BYTES_MAX} bytes`);
  }
  const unusable = schemaProblem(inputSchema);
  if (unusable !== undefined) refuse(`its input schema cannot be used: ${unusable}`);
  for (const argument of [own.keyArgument, own.marker?.argument]) {
    const known = inputSchema['properties'] as object | undefined;
    if (argument === undefined || Object.hasOwn(known ?? {}, argument)) continue;
    refuse(`it has no argument ${argument}; it has ${Object.keys(known ?? {}).join(', ') || 'none'}`);
  }
};

/** The calls of one tool, and the questions about them. */
class Calls {
  constructor(
    private readonly server: McpServer,
    private readonly name: string,
    private readonly own: ToolSettings,
  ) {}

  async run(args: Args, context: ToolContext): Promise<McpResult> {
    const { signal, key } = context;
    const sent = prepared(args, key, this.own);
    const scope = { guard: () => context.guard(), signal, sent: false };
    try {
      const answer = await this.server.call(this.name, sent, scope);
      if (answer.isError === true) throw this.refused(textOf(answer));
      return resultOf(answer);
    } catch (error) {
      throw error instanceof ServerRefused ? this.refused(error.message) : error;
    }
  }

  async ask(args: Args, { key, signal }: ToolQuestion): Promise<ToolVerdict<McpResult>> {
    const { readBack } = this.own;
    const server = this.server.options.name;
    if (readBack === undefined) return unknown(`${server}.${this.name} has no readBack`);
    const values = { args, sent: prepared(args, key, this.own), key, marker: markerOf(key) };
    const asked = filled(readBack.args, values);
    if ('problem' in asked) return unknown(`the question to ${readBack.tool} cannot be put together: ${asked.problem}`);
    try {
      const scope = { guard: () => undefined, signal, sent: false };
      const answer = await this.server.call(readBack.tool, asked.value as Record<string, Json>, scope);
      return judge(readBack, { server, asked: asked.value, answer, values });
    } catch (error) {
      // Also where the server has refused the question: "not found" may then speak of a page, a session or the tool.
      const { code, message } = describeError(error);
      const summary = `asking ${server} by ${readBack.tool} failed (${code})`;
      return unknown({ summary, details: { tool: readBack.tool, arguments: asked.value, reason: message } });
    }
  }

  /** An error is the tool's word that it failed, not that it did nothing: unless the file promises that. */
  private refused(said: string): ToolFailure {
    const { policy, errors, retryErrors } = this.own;
    const effect = !hasEffect(policy) || errors === 'none' ? 'none' : 'unknown';
    return new ToolFailure(`${this.server.options.name}.${this.name} answered with an error: ${said}`, {
      code: 'mcp_tool_error',
      retry: retryErrors ? 'later' : 'never',
      effect,
    });
  }
}
