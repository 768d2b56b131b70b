import { readFile } from 'node:fs/promises';
import { planSchema, type Plan } from '@holdfast/programs';

/** Steps of one document: read, summarise, file. */
export const STEPS_PER_DOCUMENT = 3;

/** The plan as anyone can read it, beside the sources. */
export const planFile = new URL('../plan.json', import.meta.url);

/** The mission's program, checked. */
export const missionPlan = async (): Promise<Plan> => planSchema.parse(JSON.parse(await readFile(planFile, 'utf8')));

/** A step of the mission: which document, and what is done with it. Undefined for a step of some other plan. */
export const missionStep = (stepId: string): { readonly index: number; readonly work: string } | undefined => {
  const found = /^document\[(\d+)\]\.([a-z]+)$/.exec(stepId);
  return found?.[1] === undefined || found[2] === undefined ? undefined : { index: Number(found[1]), work: found[2] };
};

/** The step that files a document, by its number. */
export const filingStep = (index: number): string => `document[${index}].file`;

/** Whether it is the step that changes the world. */
export const isFiling = (stepId: string): boolean => missionStep(stepId)?.work === 'file';
