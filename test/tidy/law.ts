/** Who may import what. Nothing is allowed that is not listed; think hard before a line gets longer. */
export type Law = { readonly folder: RegExp; readonly allows: readonly (string | RegExp)[] };

const node = /^node:/;
const nest = /^@nestjs\//;
const shell = [node, nest, 'pino', 'reflect-metadata', 'rxjs', 'zod'];
const core = ['@holdfast/programs', '@holdfast/events', '@holdfast/contracts'];
const libs: readonly (string | RegExp)[] = [
  ...core,
  '@holdfast/log',
  '@holdfast/sdk',
  '@holdfast/telemetry',
  '@holdfast/service',
  /^@holdfast\/service\/(failpoint|kafka-settings)$/,
];

const mcp = /^@modelcontextprotocol\/sdk\//;
const views = ['@holdfast/words', '@holdfast/explain', '@holdfast/api'];

/** The first that fits counts. Everyone may import relative paths, but only inside the own package. */
export const laws: readonly Law[] = [
  { folder: /^libs\/programs\//, allows: ['zod', /^ajv\//] },
  { folder: /^libs\/events\//, allows: ['@holdfast/programs', 'big.js', 'canonicalize', 'zod'] },
  { folder: /^libs\/contracts\//, allows: ['@holdfast/programs', '@holdfast/events', 'canonicalize', 'zod'] },
  { folder: /^libs\/log\/src\/kafka\//, allows: [node, 'kafkajs'] },
  { folder: /^libs\/log\//, allows: [node] },
  { folder: /^libs\/sdk\//, allows: [...core, '@holdfast/log', node, 'zod'] },
  {
    folder: /^libs\/models\//,
    allows: [
      '@holdfast/programs',
      '@holdfast/events',
      '@holdfast/sdk',
      node,
      'big.js',
      'openai',
      '@anthropic-ai/sdk',
      'zod',
    ],
  },
  {
    folder: /^libs\/probes\//,
    allows: [
      '@holdfast/programs',
      '@holdfast/events',
      '@holdfast/sdk',
      node,
      'aws4fetch',
      'imapflow',
      /^nodemailer\/lib\/(mail-composer|smtp-connection)$/,
      'pg',
      'zod',
    ],
  },
  {
    folder: /^libs\/mcp-tools\//,
    allows: [
      '@holdfast/programs',
      '@holdfast/events',
      '@holdfast/sdk',
      node,
      /^@modelcontextprotocol\/sdk\/(client\/(index|streamableHttp)|shared\/transport|types)\.js$/,
      'zod',
    ],
  },
  {
    folder: /^libs\/telemetry\//,
    allows: [
      ...core,
      '@holdfast/log',
      '@holdfast/sdk',
      node,
      /^@opentelemetry\/(api|resources|sdk-trace|exporter-trace-otlp-http)$/,
      'prom-client',
    ],
  },
  { folder: /^libs\/service\//, allows: [...core, '@holdfast/log', '@holdfast/sdk', '@holdfast/telemetry', ...shell] },
  { folder: /^libs\/words\//, allows: ['@holdfast/programs', '@holdfast/events'] },
  { folder: /^libs\/explain\//, allows: ['@holdfast/programs', '@holdfast/events', '@holdfast/words'] },
  { folder: /^libs\/api\//, allows: [...core, '@holdfast/explain', 'zod'] },
  { folder: /^libs\/yaml\//, allows: ['@holdfast/programs', 'yaml'] },
  {
    folder: /^libs\/http-tools\//,
    allows: [
      ...core,
      '@holdfast/sdk',
      '@holdfast/yaml',
      node,
      '@apidevtools/json-schema-ref-parser',
      'ipaddr.js',
      'zod',
    ],
  },
  // Libraries for its sections are imported by name, each only where its section stands: see sections.ts.
  { folder: /^libs\/tool-files\//, allows: ['@holdfast/programs', '@holdfast/sdk', '@holdfast/yaml', node] },
  { folder: /^libs\/mcp-server\//, allows: ['@holdfast/events', '@holdfast/api', node, mcp, 'zod'] },
  { folder: /^libs\/chaos\//, allows: [...libs, '@holdfast/dev', node, 'zod'] },
  {
    folder: /^apps\/cli\//,
    allows: [
      ...libs,
      ...views,
      '@holdfast/mcp-server',
      mcp,
      '@holdfast/chaos',
      '@holdfast/mcp-tools',
      '@holdfast/tool-files',
      '@holdfast/yaml',
      ...shell,
      'cli-table3',
      'commander',
      'ms',
      'picocolors',
    ],
  },
  {
    folder: /^apps\/gateway\//,
    allows: [
      ...libs,
      ...views,
      '@holdfast/mcp-server',
      mcp,
      ...shell,
      'express',
      'express-rate-limit',
      'helmet',
      'jose',
      'pg',
      'typeorm',
    ],
  },
  // It runs in a browser: nothing of Node, nothing that speaks to a broker.
  {
    folder: /^apps\/console\//,
    allows: [
      '@holdfast/api',
      /^@(fontsource-variable|mantine|tabler|tanstack|vitejs)\//,
      /^(oidc-client-ts|react|react-dom\/client|react-router|recharts|vite|zod|playwright-core|axe-core)$/,
    ],
  },
  { folder: /^apps\/(executor|reconciler)\//, allows: [...libs, '@holdfast/tool-files', ...shell] },
  { folder: /^apps\//, allows: [...libs, ...shell] },
  { folder: /^tools\/dev\//, allows: [node, 'kafkajs', 'pg'] },
  { folder: /^tools\/matrix\//, allows: [...libs, '@holdfast/chaos', '@holdfast/dev', node, 'commander', 'zod'] },
  { folder: /^tools\/model-server\//, allows: ['@holdfast/programs', node, 'commander', 'zod'] },
  {
    folder: /^examples\/agent\//,
    allows: [
      ...libs,
      '@holdfast/chaos',
      '@holdfast/dev',
      '@holdfast/model-server',
      '@holdfast/yaml',
      node,
      'commander',
      'picocolors',
      'zod',
    ],
  },
  {
    folder: /^examples\//,
    allows: [...libs, '@holdfast/models', '@holdfast/dev', node, 'cli-progress', 'commander', 'picocolors', 'zod'],
  },
  { folder: /^bench\//, allows: [...libs, '@holdfast/dev', node, 'commander', 'hdr-histogram-js', 'pg', 'zod'] },
];

/** Files that hold decisions: what they say follows from what they are given, and from nothing else. */
export const pureFile =
  /^(libs\/(programs|events|contracts)\/src\/.*|.*\.(decide|evolve|react|state|events|machine|plan|fold|step|rules|detect|view|project))\.ts$/;

/** What pure files may import besides relative paths. The whole of the core libs is pure, so they may see each other. */
export const pureImports = ['zod', 'canonicalize', 'big.js', /^ajv\//, ...core];
