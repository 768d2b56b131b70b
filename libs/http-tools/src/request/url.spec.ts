import { assert, property, string, oneof, constantFrom } from 'fast-check';
import { CannotFill } from '../template/template.js';
import { fillAddress, readAddress } from './url.js';

const filled = (template: string, args: Record<string, unknown>): string =>
  fillAddress(readAddress(template, 'here'), { args: args as never, key: 'the key' }, []).href;

const nasty = constantFrom(
  '..',
  '.',
  '../',
  '%2e%2e',
  '?',
  '#',
  '\r\nX: y',
  '/',
  '\\',
  '//evil.example',
  '@evil',
  ':80',
  '&b=c',
  ' ',
  '%',
  '\u0000',
  '\ud800',
  ';',
);
const value = oneof(string({ unit: 'grapheme' }), nasty, string({ unit: nasty, maxLength: 6 }));

describe('a value in the URL of a request', () => {
  it('stands in its segment and in its parameter, and nowhere else', () => {
    const address = readAddress('https://api.example/a/{args.x}/b-{args.y}.json?q={args.x}&r={args.y}', 'here');
    let made = 0;
    assert(
      property(value, value, (x, y) => {
        try {
          const url = fillAddress(address, { args: { x, y }, key: '' }, []);
          made += 1;
          const [, a, first = '', second = '', ...rest] = url.pathname.split('/');
          expect([url.origin, a, rest, url.hash]).toEqual(['https://api.example', 'a', [], '']);
          expect(decodeURIComponent(first)).toBe(x.toWellFormed());
          expect(decodeURIComponent(second)).toBe(`b-${y.toWellFormed()}.json`);
          expect([...url.searchParams]).toEqual([
            ['q', x.toWellFormed()],
            ['r', y.toWellFormed()],
          ]);
          // What decodes a path before it looks at its segments must not find another one either.
          expect(decodeURIComponent(url.pathname)).not.toMatch(/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/);
        } catch (error) {
          if (!(error instanceof CannotFill)) throw error;
        }
      }),
      { numRuns: 500 },
    );
    expect(made).toBeGreaterThan(100);
  });

  it.each(['..', '.', '../admin', 'a/../../admin', '..\\admin', '%2e%2e', '%2E.', ''])(
    '%j is refused in a path',
    (x) => {
      expect(() => filled('https://api.example/orders/{args.x}', { x })).toThrow(CannotFill);
    },
  );

  it('is refused where two of them would make dots', () =>
    expect(() => filled('https://api.example/{args.x}{args.y}/z', { x: '.', y: '.' })).toThrow(CannotFill));

  it.each([
    ['a/b?c#d&e=f', 'https://api.example/orders/a%2Fb%3Fc%23d%26e%3Df'],
    ['\r\nHost: evil.example', 'https://api.example/orders/%0D%0AHost%3A%20evil.example'],
    ['...', 'https://api.example/orders/...'],
    [17, 'https://api.example/orders/17'],
    [true, 'https://api.example/orders/true'],
  ])('%j is written %s', (x, url) => expect(filled('https://api.example/orders/{args.x}', { x })).toBe(url));

  it.each([[{ a: 1 }], [[1]], [null], [undefined]])('%j cannot be written', (x) =>
    expect(() => filled('https://api.example/orders/{args.x}', x === undefined ? {} : { x })).toThrow(CannotFill),
  );
});

describe('the URL of a request', () => {
  it.each([
    ['https://{args.host}/x', 'a host that no argument is a part of'],
    ['https://api.example{args.x}', 'a host that no argument is a part of'],
    ['https://api.example:{args.port}/', 'a host that no argument is a part of'],
    ['{args.url}', 'must begin with http:// or https://'],
    ['ftp://api.example/', 'must begin with http:// or https://'],
    ['//api.example/', 'must begin with http:// or https://'],
    ['https://ann:secret@api.example/', 'must hold no user and password'],
    ['https://api.example/a#b', 'must hold no #'],
    ['https://api.example/a/../b', 'write it so, percent-encoded'],
    ['https://api.example/a b', 'which would be https://api.example/a%20b'],
    ['https://api.example/{body.x}', 'body.x is no reference: it must begin with args, key'],
    ['https://api.example/{args.x', 'a { is not closed'],
    ['https://api.example/${env:NOBODY_SET_THIS}', 'there is no secret NOBODY_SET_THIS'],
  ])('%s is refused', (url, message) => expect(() => readAddress(url, 'here')).toThrow(message));

  it('may hold a secret', () => {
    process.env['URL_SPEC_BASE'] = 'tenant-17';
    try {
      expect(filled('https://api.example/${env:URL_SPEC_BASE}/{args.x}', { x: 'v' })).toBe(
        'https://api.example/tenant-17/v',
      );
    } finally {
      delete process.env['URL_SPEC_BASE'];
    }
  });

  it('may have a query alone', () =>
    expect(filled('https://api.example?a={args.x}', { x: '?&' })).toBe('https://api.example/?a=%3F%26'));
});
