import { randomBytes } from 'node:crypto';
import { serviceUsers } from './fleet.js';

/** For what has a syntax of its own around it. */
const plainCanary = (what: string): string => `sk-CANARY-${what}-${randomBytes(9).toString('hex')}`;
/** With what has to be written otherwise in JSON, in addresses and in JSON of ASCII. */
const canary = (what: string): string => `${plainCanary(what)}+/="\\é`;

export const users = Object.fromEntries(
  [...serviceUsers, 'submitter', 'operator'].map((user) => [user, plainCanary(user)]),
);
export const tool = canary('tool');
export const told = canary('told');
export const modelKey = plainCanary('model');
export const mcpEnv = canary('mcp-env');
export const mcpHeader = plainCanary('mcp-header');
export const bearer = plainCanary('bearer');
export const database = plainCanary('database');
export const wrong = plainCanary('wrong');
export const rotated = plainCanary('rotated');

/** What tools are given, and all that nobody may find. */
export const ofTools = [tool, told, modelKey, mcpEnv, mcpHeader, bearer];
export const canaries = [...ofTools, database, wrong, rotated, ...Object.values(users)];
