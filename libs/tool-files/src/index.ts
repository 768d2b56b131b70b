export { isToolFile, loadToolsAndFiles, type LoadedTools, type Loading } from './load.js';
export { sectionLibraries, type SectionName } from './sections.js';
