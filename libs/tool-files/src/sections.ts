import type { ToolsFromSection } from '@holdfast/sdk';

/** The sections that a tool file may have, and the library that makes tools out of each. */
export const sectionLibraries = {
  models: '@holdfast/models',
  mcp: '@holdfast/mcp-tools',
  http: '@holdfast/http-tools',
  probes: '@holdfast/probes',
} as const;

export type SectionName = keyof typeof sectionLibraries;

/** Finds what makes tools out of a section. Libraries are imported when their section is met, and not before. */
export type FindLibrary = (section: SectionName) => Promise<ToolsFromSection>;

export const isSection = (name: string): name is SectionName => Object.hasOwn(sectionLibraries, name);

export const importLibrary: FindLibrary = async (section) => {
  const name: string = sectionLibraries[section];
  const library = (await import(name)) as { readonly toolsFromSection?: ToolsFromSection };
  if (typeof library.toolsFromSection !== 'function') throw new Error(`${name} does not export toolsFromSection`);
  return library.toolsFromSection;
};
