import { readFileSync } from 'node:fs';
import { yamlSource } from '@holdfast/yaml';
import { readSection } from './tools-from-section.js';

const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(
  ([, text = '']) => yamlSource(text, 'docs/mcp.md').value as { readonly [section: string]: unknown },
);

describe('docs/mcp.md', () => {
  it('has examples that load as they are', () => {
    const sections = examples.flatMap((example) => ('mcp' in example ? [readSection(example['mcp'])] : []));
    expect(sections.map((section) => Object.keys(section))).toEqual([['notes'], ['tracker'], ['payments'], ['notes']]);
  });

  it('names every code that a call can fail with', () => {
    const server = readFileSync(new URL('server/server.ts', import.meta.url), 'utf8');
    const tools = readFileSync(new URL('tool/make-tool.ts', import.meta.url), 'utf8');
    const codes = new Set([...`${server}${tools}`.matchAll(/'(mcp_[a-z_]+)'/g)].map(([, code = '']) => code));
    expect(codes.size).toBeGreaterThan(5);
    expect([...codes].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});
