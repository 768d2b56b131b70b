import { InvalidTool, isByReference } from '@holdfast/sdk';
import type { Json } from '@holdfast/programs';

/** Fields whose value is a secret, wherever they stand in a section. */
const SECRET = new Set(['password', 'secretAccessKey', 'sessionToken']);
/** Fields whose value may be a URL with a password in it. */
const MAY_HOLD_ONE = new Set(['connection', 'remote', 'endpoint']);

/** Throws `InvalidTool` with a line for each secret that stands in a section instead of being named there. */
export const refuseWrittenSecrets = (section: Json, place: string): void => {
  const problems = writtenIn(section, place);
  if (problems.length > 0) throw new InvalidTool(problems.join('\n'));
};

const writtenIn = (value: Json, place: string): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => writtenIn(one as Json, `${place}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Readonly<Record<string, Json>>).flatMap(([name, one]) => {
    const at = `${place}.${name}`;
    if (SECRET.has(name) && !isByReference(one)) return [`${at}: a secret is named and not written: { $env: NAME }`];
    if (MAY_HOLD_ONE.has(name) && hasPassword(one))
      return [`${at}: its password is named and not written: \${env:NAME}`];
    return writtenIn(one, at);
  });
};

const hasPassword = (value: Json): boolean => {
  if (typeof value !== 'string') return false;
  const [, password = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*?:([^/\s]*)@/i.exec(value) ?? [];
  return password !== '' && !isByReference(password);
};
