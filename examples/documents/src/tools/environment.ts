import { ToolFailure } from '@holdfast/sdk';

/** Where the tools find the world; executor and reconciler are started with these. */
export const OFFICE_URL = 'OFFICE_URL';
export const DOCUMENTS_ROOT = 'DOCUMENTS_ROOT';
/** Which model summarises, where one does. */
export const SUMMARY_MODEL = 'SUMMARY_MODEL';

/** Read when a tool is called and not when it is loaded, so that a missing value is a failure that names it. */
export const fromEnvironment = (name: typeof OFFICE_URL | typeof DOCUMENTS_ROOT | typeof SUMMARY_MODEL): string => {
  const value = process.env[name];
  if (value !== undefined && value !== '') return value;
  throw new ToolFailure(`set ${name} for the executor and the reconciler`, {
    code: 'not_configured',
    retry: 'never',
    effect: 'none',
  });
};
