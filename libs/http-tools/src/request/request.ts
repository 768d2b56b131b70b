import type { Json } from '@holdfast/programs';
import type { ToolRequest } from '@holdfast/sdk';
import { refuse, type Place } from '../place.js';
import { asking, type Reference, type Scene } from '../template/reference.js';
import {
  asWord,
  CannotFill,
  fillOrLeave,
  fillText,
  readTemplate,
  referencesIn,
  referencesInText,
  type Template,
} from '../template/template.js';
import { readText, secretText, type Text } from '../template/text.js';
import type { Method, RequestFields } from './definition.js';
import { checkHeaderName, isHeaderValue, readAuth } from './headers.js';
import { fillAddress, readAddress, referencesInAddress, type Address } from './url.js';

type Field = readonly [string, Template];
type Body =
  | { readonly kind: 'json'; readonly template: Template }
  | { readonly kind: 'form'; readonly fields: readonly Field[] }
  | { readonly kind: 'text'; readonly text: Text; readonly contentType: string };

/** A request without its values. */
export type RequestPlan = {
  readonly method: Method;
  readonly address: Address;
  readonly query: readonly Field[];
  readonly headers: readonly Field[];
  readonly auth: readonly [string, string] | null;
  readonly body: Body | null;
};

/** Reads what is sent, once, when the file is loaded. */
export const readRequest = (method: Method, fields: RequestFields, place: Place): RequestPlan => {
  const url =
    typeof fields.url === 'string' ? fields.url : secretText(fields.url, `${place}.url`).replaceAll('{', '{{');
  const headers = readFields(fields.headers ?? {}, `${place}.headers`);
  const auth = fields.auth === undefined ? null : readAuth(fields.auth, `${place}.auth`);
  const taken = new Set(auth === null ? [] : [auth[0]]);
  for (const [name] of headers) {
    checkHeaderName(name, `${place}.headers.${name}`);
    if (taken.has(name.toLowerCase())) refuse(`${place}.headers.${name}`, 'is given twice');
    taken.add(name.toLowerCase());
  }
  const body = fields.body === undefined ? null : readBody(fields.body, `${place}.body`);
  if (body !== null && (method === 'GET' || method === 'HEAD'))
    refuse(`${place}.body`, `a ${method} request has no body`);
  return {
    method,
    address: readAddress(url, `${place}.url`),
    query: readFields(fields.query ?? {}, `${place}.query`),
    headers,
    auth,
    body,
  };
};

/** In these a text is one with places in it: `Order {args.order}`. */
const readFields = (fields: Readonly<Record<string, unknown>>, place: Place): readonly Field[] =>
  Object.entries(fields).map(([name, raw]): Field => {
    const at = `${place}.${name}`;
    if (typeof raw === 'string') return [name, { kind: 'text', parts: readText(raw, asking, at) }];
    return [name, readTemplate(raw as Json, asking, at)];
  });

const readBody = (body: NonNullable<RequestFields['body']>, place: Place): Body => {
  if ('json' in body) return { kind: 'json', template: readTemplate(body.json as Json, asking, `${place}.json`) };
  if ('form' in body) return { kind: 'form', fields: readFields(body.form, `${place}.form`) };
  return { kind: 'text', text: readText(body.text, asking, `${place}.text`), contentType: body.contentType };
};

/** The request of one call. Throws `CannotFill` where the arguments do not make one; nothing was sent then. */
export const fillRequest = (plan: RequestPlan, scene: Scene): { readonly url: URL; readonly request: ToolRequest } => {
  const url = fillAddress(plan.address, scene, pairs(plan.query, scene));
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  for (const [name, template] of plan.headers) {
    const value = fillOrLeave(template, scene);
    if (value !== undefined) headers[name.toLowerCase()] = headerValue(name, asWord(value, `header ${name}`));
  }
  if (plan.auth !== null) headers[plan.auth[0]] = plan.auth[1];
  const sent = fillBody(plan.body, scene);
  if (sent !== null) headers['content-type'] ??= sent.contentType;
  return { url, request: { method: plan.method, headers, ...(sent === null ? {} : { body: sent.body }) } };
};

const headerValue = (name: string, value: string): string => {
  if (!isHeaderValue(value))
    throw new CannotFill(`header ${name} would hold a line end or a character outside Latin-1`);
  return value;
};

const fillBody = (body: Body | null, scene: Scene): { readonly body: string; readonly contentType: string } | null => {
  switch (body?.kind) {
    case undefined:
      return null;
    case 'json': {
      const value = fillOrLeave(body.template, scene);
      return value === undefined ? null : { body: JSON.stringify(value), contentType: 'application/json' };
    }
    case 'form':
      return {
        body: new URLSearchParams(pairs(body.fields, scene)).toString(),
        contentType: 'application/x-www-form-urlencoded',
      };
    case 'text':
      return { body: fillText(body.text, scene), contentType: body.contentType };
  }
};

/** Names with their values; a list stands for its entries, and what is not given or null is left out. */
const pairs = (fields: readonly Field[], scene: Scene): [string, string][] =>
  fields.flatMap(([name, template]) => {
    const value = fillOrLeave(template, scene) ?? null;
    const values: readonly Json[] = Array.isArray(value) ? value : value === null ? [] : [value];
    return values.map((one): [string, string] => [name, asWord(one, name)]);
  });

/** All references in a request. */
export const referencesInRequest = ({ address, query, headers, body }: RequestPlan): readonly Reference[] => [
  ...referencesInAddress(address),
  ...[...query, ...headers].flatMap(([, template]) => referencesIn(template)),
  ...(body?.kind === 'json' ? referencesIn(body.template) : []),
  ...(body?.kind === 'form' ? body.fields.flatMap(([, template]) => referencesIn(template)) : []),
  ...(body?.kind === 'text' ? referencesInText(body.text) : []),
];
