import { accessRoutes } from './access.routes.js';
import { clusterRoutes, liveRoutes } from './cluster.routes.js';
import { mcpRoutes } from './mcp.routes.js';
import { requestRoutes } from './request.routes.js';
import { runRoutes, stepRoutes } from './run.routes.js';

export { pathOf, type AnswerOf, type AskedOf, type Method, type Route, type RouteAnswer } from './route.js';

/** All operations of the HTTP API. */
export const routes = {
  ...requestRoutes,
  ...runRoutes,
  ...stepRoutes,
  ...liveRoutes,
  ...clusterRoutes,
  ...accessRoutes,
  ...mcpRoutes,
} as const;
