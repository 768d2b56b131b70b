import { routes } from '@holdfast/api';
import type { Ask } from '@holdfast/mcp-server';
import type { Command } from 'commander';
import type { Action } from '../action.js';
import { EXIT, Problem, type ExitCode } from '../problem.js';
import type { Session } from '../session.js';
import { askGateway, GatewayProblem, neededFor, type GatewayPorts } from '../views/gateway.js';

type Options = { readonly readOnly?: boolean };

export const addMcp = (program: Command, action: Action, version: string): void => {
  const serve = (session: Session, _: string, options: Options) => mcp(session, options, version);
  program
    .command('mcp')
    .description('serve the Model Context Protocol on standard input and output, for a model, over a gateway')
    .option('--read-only', 'only tools that change nothing, whatever the token allows')
    .action((options: Options) => action(serve)(undefined, options));
};

/**
 * It goes through the gateway and never to the log: who may do what is checked there, by the token, and a model's
 * machine needs no way to the brokers.
 */
const mcp = async (session: Session, { readOnly = false }: Options, version: string): Promise<ExitCode> => {
  const ports = neededFor('the tools for models', session.gateway);
  // What is wrong with the token is said before anything is served.
  ports.token();
  // Loaded when they are asked for: no other command needs them.
  const [{ mcpServer, AskFailed }, { StdioServerTransport }] = await Promise.all([
    import('@holdfast/mcp-server'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ]);
  const ask = askThrough(ports, AskFailed);
  const server = mcpServer({
    ask,
    roles: async () => {
      const { principal } = await ask(routes.whoAmI);
      if (principal === null) throw new AskFailed({ code: 'unauthenticated', detail: STRANGER });
      return principal.roles;
    },
    caller: session.principal,
    readOnly,
    version,
    failed: (error, tool) =>
      session.output.note(`${tool} failed: ${error instanceof Error ? error.stack : String(error)}`),
  });
  const over = new Promise<void>((resolve) => {
    session.interrupted().addEventListener('abort', () => resolve());
    // The transport reads on where nothing comes any more.
    process.stdin.once('end', resolve).once('close', resolve);
  });
  await server.connect(new StdioServerTransport());
  const scope = readOnly ? 'tools that only look' : 'all tools that the token allows';
  session.output.note(`Serving ${scope} over ${ports.url}, on standard input and output.`);
  await over;
  await server.close();
  return EXIT.ok;
};

const STRANGER = 'The gateway asks who you are: set HOLDFAST_TOKEN or HOLDFAST_TOKEN_FILE for this server.';

type Failed = typeof import('@holdfast/mcp-server').AskFailed;

const askThrough =
  (ports: GatewayPorts, Failed: Failed): Ask =>
  async (route, asked = {}) => {
    try {
      return await askGateway(ports, route, asked);
    } catch (error) {
      if (error instanceof GatewayProblem) throw new Failed(error.told);
      if (!(error instanceof Problem)) throw error;
      throw new Failed({ code: 'gateway_unreachable', detail: error.message, advice: error.advice });
    }
  };
