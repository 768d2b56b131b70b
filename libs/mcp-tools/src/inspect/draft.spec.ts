import { yamlSource } from '@holdfast/yaml';
import { sectionSchema } from '../section/section.js';
import type { OfferedTool } from '../server/offered.js';
import { draftOf } from './draft.js';
import { suggest } from './suggest.js';

const tool = (name: string, properties: readonly string[], annotations?: OfferedTool['annotations']): OfferedTool => ({
  name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property, {}])),
    required: [...properties],
  },
  annotations,
});

describe('what is suggested for a tool', () => {
  const tools = [
    tool('read', ['path'], { readOnlyHint: true, destructiveHint: true }),
    tool('write', ['path', 'text'], { readOnlyHint: false, destructiveHint: true }),
    tool('pay', ['amount', 'idempotency_key']),
    tool('touch', ['when'], { idempotentHint: true }),
    tool('send', ['to']),
  ];
  it('follows a hint only where it says that nothing is changed', () => {
    expect(suggest(tools, {}).map(({ tool, policy }) => [tool, policy])).toEqual([
      ['read', 'repeatable'],
      ['write', 'unprotected'],
      ['pay', 'unprotected'],
      ['touch', 'unprotected'],
      ['send', 'unprotected'],
    ]);
  });

  it('says what else it could be, and whose calls a person should see', () => {
    const [read, write, pay, touch, send] = suggest(tools, {});
    expect(write?.remark).toBe('verifiable, if read shows what it has done (readBack)');
    expect(pay?.remark).toContain('keyed, with keyArgument: idempotency_key');
    expect(touch?.remark).toContain('repeatable, if a repeat');
    expect([read, write, send].map((one) => [one?.remark === '', one?.approval])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });

  it('is what the file has decided', () => {
    const decided = { send: { policy: 'pure', errors: 'unknown', retryErrors: true } } as const;
    expect(suggest(tools, decided).at(-1)).toMatchObject({ policy: 'pure', decided: true });
  });
});

describe('a draft', () => {
  it('loads as it is, whatever a server calls its tools', () => {
    const odd = [
      tool('a"b: {c}\n    evil: true', ['x\n      y: 1']),
      tool('b', ['x\n      y: 1', 'z'], { readOnlyHint: true }),
      tool('files/read', ['p'], { readOnlyHint: true }),
      tool('w', ['x\n      y: 1', 'z\u2028', 'z'], { destructiveHint: true }),
    ];
    const raw = { command: 'npx', args: ['-y', 'a: b # c'], version: '1', tools: { w: { policy: 'pure' } } };
    const draft = draftOf('odd', raw, suggest(odd, {}));
    const { value } = yamlSource(draft, 'draft.yaml');
    const section = sectionSchema.parse((value as { readonly mcp: unknown }).mcp);
    expect(section['odd']).toMatchObject({
      args: ['-y', 'a: b # c'],
      tools: { b: { policy: 'repeatable' }, 'files/read': { as: 'files_read' }, w: { policy: 'pure' } },
    });
    expect(Object.keys(section['odd']?.tools ?? {})).toEqual(odd.map(({ name }) => name));
    expect(section['odd']?.tools['w']?.approvals).toBeUndefined();
  });

  it('has a person agree to each call of what says that it is destructive', () => {
    const draft = draftOf(
      's',
      { command: 'x', version: '1' },
      suggest([tool('wipe', ['a'], { destructiveHint: true })], {}),
    );
    const { value } = yamlSource(draft, 'draft.yaml');
    const section = sectionSchema.parse((value as { readonly mcp: unknown }).mcp);
    expect(section['s']?.tools['wipe']).toMatchObject({ policy: 'unprotected', approvals: [{}] });
  });
});
