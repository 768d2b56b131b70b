import { routes, type Me, type Role } from '@holdfast/api';
import { missingFor } from './missing.js';
import { isToken, onSession, refusal, shown, signIn, signOut, token } from './session.js';

describe('who is signed in', () => {
  it('is shown with each request, and told to whoever asked to be told', () => {
    const told: (string | null)[] = [];
    const end = onSession(() => told.push(token()));
    expect(shown()).toEqual({});
    signIn('abc');
    expect(shown()).toEqual({ authorization: 'Bearer abc' });
    signOut('It has expired.');
    expect([shown(), refusal()]).toEqual([{}, 'It has expired.']);
    end();
    signIn('def');
    expect([told, refusal()]).toEqual([['abc', null], null]);
    signOut();
  });

  it.each([
    ['holdfast_0123_ab-c', true],
    ['a.b.c', true],
    ['a b', false],
    ['ä', false],
    ['', false],
  ])('cannot be %j by mistake', (text, is) => expect(isToken(text)).toBe(is));
});

describe('what somebody may not do', () => {
  const me = (...roles: Role[]): Me => ({
    authentication: 'required',
    principal: { id: 'oidc:ann', roles, via: 'oidc', expiresAt: null },
    signIn: { tokens: true, oidc: null },
  });

  it('is said with the role that is missing, and nothing where the gateway alone can tell', () => {
    expect(missingFor(me('viewer'), routes.pauseRun)).toBe('This needs the role operator; you have the role viewer.');
    expect(missingFor(me(), routes.getRun)).toBe('This needs the role viewer; you have no role.');
    expect(missingFor(me('operator'), routes.pauseRun)).toBeNull();
    expect(missingFor(me('admin'), routes.answerQuestion)).toBeNull();
    expect(missingFor(undefined, routes.killRun)).toBeNull();
  });
});
