import { ConfigError, readConfig } from '@holdfast/service';
import { gatewayConfigSchema } from '../../gateway.config.js';

const env = { KAFKA_BROKERS: 'a:9092', DATABASE_URL: 'postgres://u@h:1/d' };
const problems = (more: Record<string, string>): readonly string[] => {
  try {
    readConfig(gatewayConfigSchema, { ...env, ...more });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};
const oidc = { HOLDFAST_AUTH: 'oidc', HOLDFAST_OIDC_ISSUER: 'https://id.example', HOLDFAST_OIDC_AUDIENCE: 'holdfast' };

describe('who is let in, by configuration', () => {
  it.each(['0.0.0.0', '::', '10.0.0.7', 'gateway.example'])('is not everybody at %s', (host) => {
    expect(problems({ HOLDFAST_HTTP_HOST: host })).toEqual([
      `HOLDFAST_HTTP_HOST: ${host} can be reached by others, and nobody is asked who they are; set HOLDFAST_AUTH to ` +
        'tokens or oidc, or listen on 127.0.0.1',
    ]);
    expect(problems({ HOLDFAST_HTTP_HOST: host, HOLDFAST_AUTH: 'tokens' })).toEqual([]);
  });

  it.each(['127.0.0.1', '127.0.0.53', '::1', 'localhost'])('is everybody of the own machine at %s', (host) => {
    expect(problems({ HOLDFAST_HTTP_HOST: host })).toEqual([]);
  });

  it('is whom an issuer knows', () => {
    const roles = { HOLDFAST_OIDC_ROLES: 'cn=ops,dc=x:operator, leads : approver' };
    const set = readConfig(gatewayConfigSchema, {
      ...env,
      ...oidc,
      HOLDFAST_OIDC_ROLES: 'urn:ops:operator,leads : approver',
    });
    expect(set.oidcRoles).toEqual({ 'urn:ops': 'operator', leads: 'approver' });
    expect(problems({ ...oidc, ...roles })).toHaveLength(1);
  });

  it.each([
    [{ ...oidc, HOLDFAST_OIDC_AUDIENCE: '' }, 'HOLDFAST_OIDC_AUDIENCE: is needed'],
    [{ ...oidc, HOLDFAST_OIDC_ISSUER: '' }, 'HOLDFAST_OIDC_ISSUER: is needed'],
    [{ ...oidc, HOLDFAST_OIDC_ISSUER: 'http://id.example' }, 'HOLDFAST_OIDC_ISSUER: expected an https:// address'],
    [{ ...oidc, HOLDFAST_OIDC_JWKS: 'http://id.example/keys' }, 'HOLDFAST_OIDC_JWKS: expected an https:// address'],
    [{ ...oidc, HOLDFAST_OIDC_ALGORITHMS: 'RS256,none' }, 'HOLDFAST_OIDC_ALGORITHMS: expected some of RS256'],
    [{ ...oidc, HOLDFAST_OIDC_ALGORITHMS: 'HS256' }, 'HOLDFAST_OIDC_ALGORITHMS: expected some of RS256'],
    [{ ...oidc, HOLDFAST_OIDC_ROLES: 'ops:root' }, 'HOLDFAST_OIDC_ROLES: expected names with roles'],
    [{ ...oidc, HOLDFAST_AUTH: 'tokens' }, 'HOLDFAST_AUTH: does not name oidc'],
    [{ HOLDFAST_ADMIN_TOKEN_FILE: '/run/secrets/admin' }, 'HOLDFAST_AUTH: does not name tokens'],
    [{ HOLDFAST_AUTH: 'password' }, 'HOLDFAST_AUTH: expected tokens, oidc'],
  ])('is refused as half a thought: %j', (more, problem) => {
    expect(problems(more).join('\n')).toContain(problem);
  });

  it('is never said with the admin token in it', () => {
    const weak = problems({ HOLDFAST_AUTH: 'tokens', HOLDFAST_ADMIN_TOKEN: 'hunter2' });
    expect(weak).toHaveLength(1);
    expect(weak[0]).not.toContain('hunter2');
  });
});
