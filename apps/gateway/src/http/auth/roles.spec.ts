import { admits, pathOf, ROLES, routes, type Role, type Route } from '@holdfast/api';
import type { Client } from '@holdfast/sdk';
import { answered } from '../http.fixture.js';
import { closeGateway, open, post, problem } from '../requesting.fixture.js';
import { accessBy, MemoryTokens } from './access.fixture.js';

const store = new MemoryTokens();
const tokens = {
  ...Object.fromEntries(ROLES.map((role) => [role, store.give(role, [role])])),
  nobody: null,
  guest: store.give('guest', []),
};
type Who = Role | 'nobody' | 'guest';
const everybody: readonly Who[] = ['nobody', 'guest', ...ROLES];

/** Whatever is asked of it is done. */
const willing = new Proxy({}, { get: () => async () => ({ ...answered(), answers: [] }) }) as Partial<Client>;
const params = { runId: 'doc-1', stepId: 'pay', tenant: 'acme', partition: 0, offset: 1, tokenId: '0123456789abcdef' };
const all: readonly Route[] = Object.values(routes);

let ask: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  ask = await open(willing, { parts: { access: accessBy(store) } });
});
afterAll(closeGateway);

const as = (who: Who, { method, path }: Pick<Route, 'method' | 'path'>, body: unknown = {}) => {
  const token = (tokens as Record<Who, string | null>)[who];
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const init = method === 'GET' ? { headers } : { ...post(body, headers), method };
  return ask(pathOf({ path }, params), init);
};

/** The table of docs/authentication.md, once more, so that nobody changes a role by the way. */
const above: Readonly<Record<string, readonly Who[]>> = {
  whoAmI: everybody,
  getOpenApi: everybody,
  ...Object.fromEntries(
    ['submitRun', 'forkRun', 'cancelRun', 'cancelRuns', 'pauseRun', 'resumeRun', 'steerRun', 'sendAgain'].map(
      (id): [string, readonly Who[]] => [id, ['operator', 'admin']],
    ),
  ),
  answerQuestion: ['approver', 'admin'],
  signalStep: ['approver', 'admin'],
  ...Object.fromEntries(
    ['killRun', 'setTenantBudget', 'rebuildProjections', 'listTokens', 'createToken', 'revokeToken'].map(
      (id): [string, readonly Who[]] => [id, ['admin']],
    ),
  ),
};
const mayUse = ({ id }: Route): readonly Who[] => above[id] ?? ROLES;

describe('the table of routes and roles', () => {
  it.each(all.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const statuses = await Promise.all(everybody.map(async (who) => [who, (await as(who, route)).status] as const));
    const letIn = statuses.filter(([, status]) => status !== 401 && status !== 403).map(([who]) => who);
    expect(letIn).toEqual(mayUse(route).toSorted((a, b) => everybody.indexOf(a) - everybody.indexOf(b)));
    expect(Object.fromEntries(statuses)['nobody']).toBe(route.role === 'anyone' ? 200 : 401);
  });

  it('says a role for each route, and leaves nothing that changes something to anyone', () => {
    for (const { id, role, method } of all) {
      expect([...ROLES, 'anyone']).toContain(role);
      // The door for models changes nothing by itself: what is called through it asks for the role of its own route.
      if (method !== 'GET' && id !== 'callMcp') expect(['anyone', 'viewer']).not.toContain(role);
    }
  });

  it('lets an admin do everything, and somebody without a role nothing', () => {
    for (const { role } of all) expect([admits(['admin'], role), admits([], role)]).toEqual([true, role === 'anyone']);
  });
});

describe('whoever may not', () => {
  it('is told what is missing, and by which name they are known', async () => {
    const response = await as('viewer', routes.killRun);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="holdfast", error="insufficient_scope"');
    const said = 'token:viewer does not have the role admin, which this asks for.';
    expect(await problem(response)).toMatchObject({ status: 403, code: 'role_missing', detail: said });
  });

  it('is asked who they are, before anything that they send is read', async () => {
    const response = await ask('/v1/runs', post('{"runId":'));
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="holdfast"');
    expect(await problem(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
  });
});
