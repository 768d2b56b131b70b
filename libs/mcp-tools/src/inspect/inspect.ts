import type { SectionSurroundings } from '@holdfast/sdk';
import type { Pin } from '../server/offered.js';
import { openServer, readSection } from '../tools-from-section.js';
import { draftOf, type RawServer } from './draft.js';
import { suggest, type Suggestion } from './suggest.js';

export type Inspected = {
  readonly name: string;
  readonly pin: Pin;
  readonly suggestions: readonly Suggestion[];
  readonly draft: string;
};

/** Asks a server what it offers. Without a name it is called as it calls itself. Throws `InvalidTool` or a `ToolFailure`. */
export const inspectServer = async (
  name: string | null,
  raw: RawServer,
  around: SectionSurroundings,
): Promise<Inspected> => {
  const asked = name ?? 'server';
  const settings = readSection({ [asked]: raw })[asked];
  if (settings === undefined) throw new TypeError('a section that was read lacks its server');
  const server = openServer(asked, settings, around);
  try {
    const pin = await server.describe();
    const suggestions = suggest(pin.tools, settings.tools);
    const served = suggestions.filter(({ tool }) => settings.only?.includes(tool) ?? true);
    const called = name ?? nameFrom(pin.server.name);
    return { name: called, pin, suggestions, draft: draftOf(called, raw, served) };
  } finally {
    await server.close();
  }
};

const nameFrom = (text: string): string => {
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 40);
  return name === '' ? 'server' : name;
};
