import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { unformatted } from '../../support/markdown.js';
import { readConfig, VARIABLES } from '@holdfast/service';
import { beside, groups, ofCompose, services } from './settings.js';
import { configurationDoc, environmentExample } from './pages.js';

const root = new URL('../../../', import.meta.url);
const page = new URL('docs/configuration.md', root);
const example = new URL('.env.example', root);
if (process.env['HOLDFAST_WRITE'] === 'configuration') {
  writeFileSync(page, configurationDoc());
  writeFileSync(example, environmentExample());
}

const rows = groups().flatMap((group) => group.rows);

describe('the settings of all services', () => {
  it('each say what they are for and what is expected', () => {
    expect(rows.filter(({ about, expected }) => about === '' || expected === '').map(({ key }) => key)).toEqual([]);
    expect(rows.filter(({ about }) => /[.]$/.test(about)).map(({ about }) => about)).toEqual([]);
  });

  it('have one name for one thing', () => {
    const names = rows.map(({ variable }) => variable);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    expect(twice).toEqual([]);
  });

  it('are, with what is read elsewhere, all variables that an environment may have', () => {
    const all = [...rows, ...beside].map(({ variable }) => variable).filter((name) => name.startsWith('HOLDFAST_'));
    expect([...new Set(all)].toSorted()).toEqual([...VARIABLES].toSorted());
  });

  it('are told in docs/configuration.md', () =>
    expect(unformatted(readFileSync(page, 'utf8'))).toBe(unformatted(configurationDoc())));

  it('stand in .env.example', () => expect(readFileSync(example, 'utf8')).toBe(environmentExample()));

  it.each(Object.entries(services))('have, for the %s, the defaults of .env.example', (_, schema) => {
    const required = { KAFKA_BROKERS: 'kafka:9092', DATABASE_URL: 'postgres://somebody@database/holdfast' };
    const given = [...readFileSync(example, 'utf8').matchAll(/^# (\w+)=(.+)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    const { instance: one, ...read } = readConfig(schema, { ...(Object.fromEntries(given) as object), ...required });
    const { instance: other, ...usual } = readConfig(schema, required);
    expect(read).toEqual(usual);
    expect([typeof one, typeof other]).toEqual(['string', 'string']);
  });

  it('and what compose reads itself are all that docker-compose.yml asks for', () => {
    const compose = readFileSync(new URL('docker-compose.yml', root), 'utf8');
    const asked = [...new Set([...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name ?? ''))];
    const named = new Set([...readFileSync(example, 'utf8').matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name));
    expect(asked.filter((name) => !named.has(name))).toEqual([]);
    expect(asked).toEqual(expect.arrayContaining(ofCompose.map(({ variable }) => variable)));
  });

  it('are the only ones that documents speak of', () => {
    const known = new Set<string>(VARIABLES);
    /** Read by tests and by nobody else. */
    const ofTests = /^HOLDFAST_(TEST|WRITE)/;
    const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...inDocs()];
    const unknown = pages.flatMap((name) =>
      [...readFileSync(new URL(name, root), 'utf8').matchAll(/HOLDFAST_[A-Z][A-Z_]*[A-Z]/g)].flatMap(([variable]) =>
        known.has(variable) || ofTests.test(variable) ? [] : [`${name}: ${variable}`],
      ),
    );
    expect(unknown).toEqual([]);
  });
});

const inDocs = (): readonly string[] =>
  readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
