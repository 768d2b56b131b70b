/** Shorter values are no secrets, and masking them would make texts unreadable. */
export const SECRET_LENGTH_MIN = 6;
/** Pieces of an encoded secret below this length tell too little of it, and occur by chance. */
const ENCODED_LENGTH_MIN = 8;

/**
 * The forms in which a value may stand in a text: as it is, inside JSON (also JSON of ASCII alone), inside a URL or a form
 * that was sent, and as base64, also in the middle of something longer, as in `Authorization: Basic`. Of one with several
 * lines each long line counts by itself.
 */
export const formsOf = (value: string): readonly string[] => {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length === 1 ? [value] : [value, ...lines.filter(isKeyLine)];
  return [...new Set(parts.filter((part) => part.length >= SECRET_LENGTH_MIN).flatMap(formsOfPart))];
};

const KEY_LINE_LENGTH_MIN = 16;
const isKeyLine = (line: string): boolean => line.length >= KEY_LINE_LENGTH_MIN && !line.startsWith('-----');

const formsOfPart = (part: string): readonly string[] => [
  part,
  ...[quoted(part), ascii(quoted(part))].flatMap((inside) => [inside, quoted(inside)]),
  ...[encodeURIComponent(Buffer.from(part).toString()), sent(part)].flatMap((inside) => [inside, lowerCodes(inside)]),
  ...[0, 1, 2].flatMap((shift) => base64At(part, shift)).filter((form) => form.length >= ENCODED_LENGTH_MIN),
];

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As JSON has it that holds no other characters. */
const ascii = (text: string): string =>
  text.replaceAll(/[\u0080-\uFFFF]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As a form is sent. */
const sent = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

const lowerCodes = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

/** The characters of base64 that the value alone decides when it begins `shift` bytes after a whole group. */
const base64At = (part: string, shift: number): readonly string[] => {
  const bytes = Buffer.from(part, 'utf8');
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  const own = whole.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
};
