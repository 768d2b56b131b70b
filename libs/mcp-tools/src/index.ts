export { openServer, readSection, toolsFromSection } from './tools-from-section.js';
export type { ServerSettings, ToolSettings } from './section/section.js';
export type { OfferedTool, Pin } from './server/offered.js';
export type { McpServer } from './server/server.js';
export { inspectServer, type Inspected } from './inspect/inspect.js';
export type { RawServer } from './inspect/draft.js';
export type { Suggestion } from './inspect/suggest.js';
