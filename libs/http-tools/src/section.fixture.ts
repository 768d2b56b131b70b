import { tmpdir } from 'node:os';
import type { Json } from '@holdfast/programs';
import { silentLogger, type Tool } from '@holdfast/sdk';
import { yamlSource } from '@holdfast/yaml';
import { toolsFromSection } from './section/section.js';

/** The tools of a section in YAML, as a tool file has it under `http`. */
export const toolsOf = async (yaml: string): Promise<readonly Tool[]> => {
  const section: Json = yamlSource(yaml, 'tools.yaml').value;
  return (await toolsFromSection(section, { file: 'tools.yaml', directory: tmpdir(), logger: silentLogger })).tools;
};

export const toolOf = async (yaml: string): Promise<Tool> => {
  const [tool, ...others] = await toolsOf(yaml);
  if (tool === undefined || others.length > 0) throw new Error('there is not one tool');
  return tool;
};

/** A tool on loopback: `fields` are lines at the level of `url`. */
export const localTool = (origin: string, fields: string): Promise<Tool> =>
  toolOf(
    [
      'egress: { addresses: [127.0.0.0/8, "::1"] }',
      'tools:',
      '  - name: thing',
      '    version: "1"',
      '    timeoutMs: 10000',
      ...fields
        .replaceAll('ORIGIN', origin)
        .split('\n')
        .map((line) => `    ${line}`),
    ].join('\n'),
  );
