import { readFile } from 'node:fs/promises';
import { planSchema, type Plan } from '@holdfast/programs';
import { summariseDocument } from './tools/summarise-document.js';
import { summariseWithModel } from './tools/summarise-with-model.js';

/** Steps of one document: read, summarise, file. */
export const STEPS_PER_DOCUMENT = 3;

/** The plan as anyone can read it, beside the sources. */
export const planFile = new URL('../plan.json', import.meta.url);

/** The mission's program, checked. With a model that one summarises, which changes nothing else. */
export const missionPlan = async (model: string | null): Promise<Plan> => {
  const text = await readFile(planFile, 'utf8');
  const chosen = model === null ? text : text.replaceAll(`"${summariseDocument.ref}"`, `"${summariseWithModel.ref}"`);
  return planSchema.parse(JSON.parse(chosen));
};

/** A step of the mission: which document, and what is done with it. Undefined for a step of some other plan. */
export const missionStep = (stepId: string): { readonly index: number; readonly work: string } | undefined => {
  const found = /^document\[(\d+)\]\.([a-z]+)$/.exec(stepId);
  return found?.[1] === undefined || found[2] === undefined ? undefined : { index: Number(found[1]), work: found[2] };
};

/** The step that files a document, by its number. */
export const filingStep = (index: number): string => `document[${index}].file`;

/** Whether it is the step that changes the world. */
export const isFiling = (stepId: string): boolean => missionStep(stepId)?.work === 'file';
