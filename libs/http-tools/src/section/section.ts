import { checkSection, type SectionTools, type ToolsFromSection } from '@holdfast/sdk';
import { z } from 'zod';
import { egressSchema } from '../egress/egress.js';
import { toolSchema } from '../tool/definition.js';
import { httpTool } from '../tool/http-tool.js';

const sectionSchema = z.strictObject({
  /** For all tools of the section that do not say it themselves. */
  egress: egressSchema.optional(),
  tools: z.array(toolSchema).default([]),
});

/** The tools of the section `http` of a tool file. */
export const toolsFromSection: ToolsFromSection = async (section): Promise<SectionTools> => {
  const { egress, tools } = checkSection('http', sectionSchema, section);
  const around = { egress, egressPlace: 'http.egress' };
  return { tools: tools.map((fields, index) => httpTool(fields, around, `http.tools[${index}]`)) };
};
