import { array, assert, jsonValue, property, string } from 'fast-check';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@holdfast/programs';
import { findSecret } from './secret.js';
import { Secrets } from './secrets.js';

const known = (...values: readonly string[]): Secrets => {
  const secrets = new Secrets();
  values.forEach((value, index) => secrets.add(`S${index}`, value));
  return secrets;
};
const value = string({ minLength: 6, maxLength: 60, unit: 'grapheme' });
const around = string({ maxLength: 20, unit: 'grapheme' });
const ways: Readonly<Record<string, (secret: string, before: string) => string>> = {
  'as it is': (secret) => secret,
  'in JSON': (secret) => JSON.stringify({ secret }),
  'in JSON in JSON': (secret) => JSON.stringify({ text: JSON.stringify({ secret }) }),
  'in a URL': (secret) => `https://host/?key=${encodeURIComponent(secret)}`,
};

const inAscii = (json: string): string =>
  json.replaceAll(/[\u0080-\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('a secret that is known', () => {
  it.each(Object.entries(ways))('stands in no text %s', (_, write) => {
    assert(
      property(array(value, { minLength: 1, maxLength: 4 }), around, around, (secrets, before, after) => {
        const text = `${before}${secrets.map((one) => write(one, before)).join(' ')}${after}`;
        const masked = known(...secrets).mask(text);
        for (const one of secrets) {
          expect(masked).not.toContain(one);
          expect(masked).not.toContain(JSON.stringify(one).slice(1, -1));
        }
      }),
    );
  });

  it.each<[string, (secret: string) => string]>([
    ['a URL', encodeURIComponent],
    ['a URL with small codes', (secret) => encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['a form that was sent', (secret) => new URLSearchParams({ key: secret }).toString().slice('key='.length)],
    ['JSON of ASCII', (secret) => inAscii(JSON.stringify(secret))],
    ['JSON of ASCII in JSON', (secret) => JSON.stringify(inAscii(JSON.stringify(secret)))],
  ])('does not stand in %s either', (_, write) => {
    assert(
      property(value, around, around, (secret, before, after) => {
        const written = write(secret).replaceAll(/^"|"$/g, '');
        expect(known(secret).mask(`${before} ${written} ${after}`)).not.toContain(written);
      }),
    );
  });

  it('cannot be decoded out of base64, wherever it stands in it', () => {
    assert(
      property(string({ minLength: 10, maxLength: 40 }), around, around, (secret, before, after) => {
        const encoded = Buffer.from(`${before}${secret}${after}`).toString('base64');
        const masked = known(secret).mask(`Authorization: Basic ${encoded}`);
        const left = masked.replace('Authorization: Basic ', '').split(/\[[^\]]*\]/);
        for (const part of left) expect(Buffer.from(part, 'base64').toString()).not.toContain(secret);
        expect(masked).not.toContain(encoded);
      }),
    );
  });

  it('stands in no JSON, in fields and their names', () => {
    assert(
      property(value, jsonValue({ maxDepth: 2 }), (secret, other) => {
        const json = { [`x${secret}`]: [secret, { deep: `y${secret}z` }], other } as Json;
        expect(JSON.stringify(known(secret).maskJson(json))).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });

  it('leaves what holds none as it is', () => {
    const json = { a: ['nothing of it'] };
    expect(known('sk-live-123').maskJson(json)).toBe(json);
    expect(known('short', 'a').mask('a short text')).toBe('a short text');
  });

  it('is named where it stood', () => {
    expect(known('sk-live-123').mask('401 for sk-live-123')).toBe('401 for [secret S0]');
    expect(known('secret S0').mask('a secret S0')).toBe('a [***]');
  });

  it('is the password of a URL too, and each line of a key', () => {
    const secrets = known(
      'postgres://app:p%40ssword1@db/x',
      '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END KEY-----',
    );
    expect(secrets.mask('password p@ssword1, p%40ssword1')).toBe('password [secret S0], [secret S0]');
    expect(secrets.mask('line MIIEvQIBADANBgkqhkiG9w0B')).toBe('line [secret S1]');
  });
});

describe('a secret by reference', () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-secret-'));
  const file = join(dir, 'password');
  writeFileSync(file, 'from-a-file\n');

  it('comes from a file or a variable, and from one of them only', () => {
    expect(findSecret('P', { P: 'from-here' })).toBe('from-here');
    expect(findSecret('P', { P_FILE: file })).toBe('from-a-file');
    expect(findSecret('P', { P: ' ' })).toBeUndefined();
    expect(() => findSecret('P', { P: 'x', P_FILE: file })).toThrow('P and P_FILE are both set');
  });

  it('says which file is missing or empty', () => {
    writeFileSync(join(dir, 'empty'), '\n');
    expect(() => findSecret('P', { P_FILE: join(dir, 'none') })).toThrow(/P_FILE: .*none cannot be read \(ENOENT\)/);
    expect(() => findSecret('P', { P_FILE: join(dir, 'empty') })).toThrow('is empty');
  });
});
