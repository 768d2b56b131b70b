import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Json } from '@holdfast/programs';
import { InvalidTool, ToolsNotReady, type Logger, type SectionTools } from '@holdfast/sdk';
import { UnusableYaml, yamlSource, type Source } from '@holdfast/yaml';
import { isSection, sectionLibraries, type FindLibrary, type SectionName } from './sections.js';

export type FileSurroundings = { readonly cwd: string; readonly logger: Logger; readonly library: FindLibrary };

/** One section of a file, read but not yet made into tools. */
export type Section = {
  readonly name: SectionName;
  /** Makes its tools. Throws `InvalidTool`, with the place of each problem in the file. */
  open(): Promise<SectionTools>;
};

/** The sections of a tool file. Throws `InvalidTool` naming the file and the line where it is none. */
export const readToolFile = async (file: string, surroundings: FileSurroundings): Promise<readonly Section[]> => {
  const path = resolve(surroundings.cwd, file);
  const source = parse(await textOf(file, path), file);
  const sections = sectionsOf(source, file);
  return sections.map(({ name, value }) => ({
    name,
    open: async () => {
      const { logger } = surroundings;
      const make = await libraryFor(name, source, surroundings.library);
      try {
        return await make(value, { file: path, directory: dirname(path), logger });
      } catch (error) {
        throw placed(error, name, source);
      }
    },
  }));
};

const textOf = async (file: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new InvalidTool(`tool file "${file}" cannot be read: ${reason} (looked for ${path})`, { cause: error });
  }
};

// JSON is YAML as well, and so problems in it have a place too.
const parse = (text: string, file: string): Source => {
  try {
    return yamlSource(text, file);
  } catch (error) {
    if (!(error instanceof UnusableYaml)) throw error;
    throw new InvalidTool(`tool file "${file}" is not YAML or JSON that can be used:${error.message}`, {
      cause: error,
    });
  }
};

const KNOWN = Object.keys(sectionLibraries).join(', ');

const sectionsOf = (source: Source, file: string): readonly { readonly name: SectionName; readonly value: Json }[] => {
  const { value } = source;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0) {
    throw new InvalidTool(`${source.place('') ?? `${file}:1:1`}: a tool file holds sections: ${KNOWN}`);
  }
  return Object.entries(value).map(([name, section]) => {
    if (!isSection(name)) {
      throw new InvalidTool(`${at(source, name)}: ${name} is not a section of a tool file; known are ${KNOWN}`);
    }
    return { name, value: section as Json };
  });
};

const at = (source: Source, place: string): string => source.place(place) ?? source.place('') ?? 'tool file';

const libraryFor = async (name: SectionName, source: Source, find: FindLibrary): ReturnType<FindLibrary> => {
  try {
    return await find(name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidTool(
      `${at(source, name)}: ${name} needs ${sectionLibraries[name]}, which cannot be loaded: ${reason}`,
      {
        cause: error,
      },
    );
  }
};

/** Each line that begins with a place in the section says where in the file that is. */
const placed = (error: unknown, name: SectionName, source: Source): Error => {
  const message = error instanceof Error ? error.message : String(error);
  const begins = new RegExp(`^(\\s*(?:- )?)(${name}(?:[.[][^\\s:]*)?): `);
  let found = false;
  const lines = message.split('\n').map((line) => {
    const [whole, lead = '', place] = begins.exec(line) ?? [];
    if (whole === undefined || place === undefined) return line;
    found = true;
    return `${lead}${at(source, place)}: ${line.slice(lead.length)}`;
  });
  const Kind = error instanceof ToolsNotReady ? ToolsNotReady : InvalidTool;
  return new Kind(found ? lines.join('\n') : `${at(source, name)}: ${name}: ${message}`, { cause: error });
};
