import { isByReference, withReferencedSecrets } from './references.js';
import { knownSecrets } from './secrets.js';

const env = { TOKEN: 'tok-123456', USER_NAME: 'ann-the-user' };

describe('a reference to a secret', () => {
  it('is replaced wherever it stands, and its value is masked from then on', () => {
    const value = { auth: { bearer: { $env: 'TOKEN' } }, list: ['Basic ${env:USER_NAME}:${env:TOKEN}', 7, null] };
    expect(withReferencedSecrets(value, env)).toEqual({
      auth: { bearer: 'tok-123456' },
      list: ['Basic ann-the-user:tok-123456', 7, null],
    });
    expect(knownSecrets.mask('it was tok-123456')).toBe('it was [secret TOKEN]');
  });

  it.each([
    [{ a: [{ $env: 'NOBODY' }] }, 'a[0]: there is no secret NOBODY: set NOBODY_FILE'],
    [{ a: { b: 'x ${env:NOBODY}' } }, 'a.b: there is no secret NOBODY'],
    [{ a: { $env: 'TOKEN', more: 1 } }, 'a: a reference to a secret is written { $env: NAME }, with nothing beside it'],
    [{ a: { $env: 7 } }, 'a: a reference to a secret is written { $env: NAME }'],
    [{ a: { $env: 'NO NAME' } }, 'a: a reference to a secret is written { $env: NAME }'],
    ['x ${env:NO NAME}', 'a reference to a secret is written ${env:NAME}'],
  ])('that is wrong is named with its place: %j', (value, message) => {
    expect(() => withReferencedSecrets(value, env)).toThrow(message);
  });

  it('is not looked for in what a secret holds', () => {
    const within = { OUTER: 'value ${env:TOKEN} value' };
    expect(withReferencedSecrets({ $env: 'OUTER' }, within)).toBe('value ${env:TOKEN} value');
    expect(withReferencedSecrets('${env:OUTER}', within)).toBe('value ${env:TOKEN} value');
  });

  it.each([
    [{ $env: 'TOKEN' }, true],
    ['${env:TOKEN}', true],
    ['Bearer ${env:TOKEN}', true],
    ['Bearer tok-123456', false],
    ['tok-${env:TOKEN}', false],
    ['Bearer ', false],
    [7, false],
  ])('%j is one: %s', (value, is) => expect(isByReference(value)).toBe(is));
});
