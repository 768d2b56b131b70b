export { toolsFromSection } from './section/section.js';
