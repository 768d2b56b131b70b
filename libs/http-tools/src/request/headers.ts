import type { Json } from '@holdfast/programs';
import { refuse, type Place } from '../place.js';
import { secretText } from '../template/text.js';
import type { RequestFields } from './definition.js';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** These say how the bytes are carried, and are set by whoever carries them. */
const OWN =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|accept-encoding)$/i;

export const checkHeaderName = (name: string, place: Place): void => {
  if (!NAME.test(name)) refuse(place, `${JSON.stringify(name)} is no name of a header`);
  if (OWN.test(name)) refuse(place, `${name} is set by the runtime and cannot be given`);
};

// Visible characters of Latin-1, spaces and tabs: anything else could begin another header.
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
export const isHeaderValue = (value: string): boolean => VALUE.test(value);

/** The headers that authenticate, as they are sent. */
export const readAuth = (auth: NonNullable<RequestFields['auth']>, place: Place): readonly [string, string] => {
  if ('bearer' in auth) return ['authorization', `Bearer ${oneLine(auth.bearer, `${place}.bearer`)}`];
  if ('basic' in auth) {
    const user = oneLine(auth.basic.user, `${place}.basic.user`);
    const password = oneLine(auth.basic.password, `${place}.basic.password`);
    if (user.includes(':')) refuse(`${place}.basic.user`, 'must hold no colon');
    return ['authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
  }
  checkHeaderName(auth.header.name, `${place}.header.name`);
  return [auth.header.name.toLowerCase(), oneLine(auth.header.value, `${place}.header.value`)];
};

const oneLine = (value: Json, place: Place): string => {
  const given = secretText(value, place);
  if (!isHeaderValue(given)) refuse(place, 'holds characters that no header may hold');
  return given;
};
