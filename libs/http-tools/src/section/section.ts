import { checkSection, type SectionTools, type ToolsFromSection } from '@holdfast/sdk';
import { z } from 'zod';
import { egressSchema } from '../egress/egress.js';
import { toolSchema } from '../tool/definition.js';
import { httpTool } from '../tool/http-tool.js';
import { openapiSchema } from '../openapi/definition.js';
import { openapiTools } from '../openapi/openapi-tools.js';

const sectionSchema = z.strictObject({
  /** For all tools of the section that do not say it themselves. */
  egress: egressSchema.optional(),
  tools: z.array(toolSchema).default([]),
  openapi: z.array(openapiSchema).default([]),
});

/** The tools of the section `http` of a tool file. */
export const toolsFromSection: ToolsFromSection = async (section, surroundings): Promise<SectionTools> => {
  const { egress, tools, openapi } = checkSection('http', sectionSchema, section);
  const around = { egress, egressPlace: 'http.egress' };
  const own = tools.map((fields, index) => httpTool(fields, around, `http.tools[${index}]`));
  const documented = await Promise.all(
    openapi.map((fields, index) => openapiTools(fields, around, `http.openapi[${index}]`, surroundings)),
  );
  return { tools: [...own, ...documented.flat()] };
};
