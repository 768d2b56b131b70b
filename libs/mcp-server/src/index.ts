export { AskFailed, type Ask, type Asked, type Failure } from './ask.js';
export { ANSWER_MAX } from './bounds.js';
export { mcpServer, modelTools, type McpPorts } from './server.js';
export { writes } from './tool.js';
