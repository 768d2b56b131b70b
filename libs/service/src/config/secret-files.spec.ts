import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownSecrets } from '@holdfast/sdk';
import { baseConfigSchema } from './base-config.js';
import { printConfig } from './describe-config.js';
import { rememberSecrets } from './named-secrets.js';
import { readConfig } from './read-config.js';
import { carelessFiles } from './secret-files.js';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-secrets-'));
const file = join(folder, 'password');
writeFileSync(file, 'sk-from-a-file\n', { mode: 0o600 });
const env = { KAFKA_BROKERS: 'a:1', HOLDFAST_KAFKA_PASSWORD_FILE: file };

describe('a secret setting', () => {
  it('is read out of the file that is named, masked, and never shown', () => {
    const config = readConfig(baseConfigSchema, env);
    expect(config.kafkaPassword).toBe('sk-from-a-file');
    expect(knownSecrets.mask('x sk-from-a-file')).toBe('x [secret HOLDFAST_KAFKA_PASSWORD]');
    const printed = printConfig(baseConfigSchema, config, env);
    expect(printed).toContain('# HOLDFAST_KAFKA_PASSWORD: set, not shown');
    expect(printed).not.toContain('sk-from-a-file');
  });

  it('is a mistake twice, or in a file that cannot be read', () => {
    const read = (more: Record<string, string>) => () => readConfig(baseConfigSchema, { ...env, ...more });
    expect(read({ HOLDFAST_KAFKA_PASSWORD: 'again' })).toThrow('HOLDFAST_KAFKA_PASSWORD_FILE are both set');
    expect(read({ HOLDFAST_KAFKA_PASSWORD_FILE: join(folder, 'none') })).toThrow(/none cannot be read \(ENOENT\)/);
  });

  it('is warned of in a file that everybody may read', () => {
    expect(carelessFiles(env)).toEqual([]);
    chmodSync(file, 0o644);
    expect(carelessFiles(env)).toEqual([
      `HOLDFAST_KAFKA_PASSWORD_FILE: everybody on this machine may read ${file} (mode 644); take that away with chmod o-r`,
    ]);
    expect(carelessFiles({ HOLDFAST_KAFKA_CA_FILE: file })).toEqual([]);
  });
});

describe('a secret that a tool reads by itself', () => {
  it('is masked once it is named, and has to be there', () => {
    rememberSecrets(['TOOL_KEY'], { TOOL_KEY: 'sk-of-a-tool' });
    expect(knownSecrets.mask('sk-of-a-tool')).toBe('[secret TOOL_KEY]');
    expect(() => rememberSecrets(['OTHER_KEY'], {})).toThrow(
      'HOLDFAST_SECRETS: there is no variable OTHER_KEY, and no OTHER_KEY_FILE',
    );
  });
});
