import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { exampleFiles, exampleOf } from '../examples.js';
import { documents, files, folder, read, write } from './documents.js';

if (process.env['HOLDFAST_WRITE'] === 'api') write();

describe('docs/api', () => {
  it('holds what `npm run docs:api` makes of the schemas, and nothing else', () => {
    const made = documents();
    expect(files()).toEqual(Object.keys(made).toSorted());
    for (const [file, document] of Object.entries(made)) {
      expect({ file, document: read(file) }).toEqual({
        file,
        document: JSON.parse(JSON.stringify(document)) as unknown,
      });
    }
  });

  it('has an OpenAPI document that is one', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(read('openapi.json') as Record<string, unknown>);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(validator.version).toBe('3.1');
  });

  it('has an AsyncAPI document that its parser takes', async () => {
    const source = `${folder}asyncapi.json`;
    const { document, diagnostics } = await new Parser().parse(readFileSync(source, 'utf8'), { source });
    const problems = diagnostics
      .filter(({ severity }: { readonly severity: number }) => severity < 2)
      .map(({ message, path }) => ({ message, path }));
    expect(problems).toEqual([]);
    expect(document?.version()).toBe('3.0.0');
    expect(document?.channels().all()).toHaveLength(13);
  });

  it.each(exampleFiles())('has a schema that the example %s fits', (file) => {
    const [topic = '', type = ''] = file.replace('.json', '').split('/');
    const ajv = new Ajv({ strict: false });
    const fits = ajv.compile(read(`schemas/${file}`) as object);
    const example: unknown = JSON.parse(exampleOf(topic, type));
    expect({ fits: fits(example), errors: fits.errors }).toEqual({ fits: true, errors: null });
    expect(fits({ ...(example as object), data: 7 })).toBe(false);
  });
});
