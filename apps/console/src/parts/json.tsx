import { ActionIcon, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { memo, useMemo, type CSSProperties } from 'react';
import { bytesWords } from '../format/numbers.js';
import { jsonTokens } from './json-tokens.js';
import classes from './parts.module.css';

/** Above this it is shown without colours and cut; copying gives all of it. */
const COLOUR_MAX = 20_000;
const SHOWN_MAX = 200_000;

export const CopyText = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={copy}
        aria-label={copied ? `${what} copied` : `Copy ${what}`}
      >
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    )}
  </CopyButton>
);

/** Any value as JSON that can be read and copied. */
export const Json = memo(function Json({
  value,
  label,
  max = 420,
}: {
  readonly value: unknown;
  readonly label: string;
  readonly max?: number;
}) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value]);
  const tokens = useMemo(() => (text.length > COLOUR_MAX ? null : jsonTokens(text)), [text]);
  const style = { '--json-max': `${max}px` } as CSSProperties;
  return (
    <div className={classes.jsonFrame}>
      <pre className={classes.json} tabIndex={0} role="group" aria-label={label} style={style}>
        {tokens === null
          ? cut(text)
          : tokens.map(({ kind, text: piece }, index) =>
              kind === 'plain' ? (
                piece
              ) : (
                <span key={index} className={classes[kind]}>
                  {piece}
                </span>
              ),
            )}
      </pre>
      <div className={classes.jsonCopy}>
        <CopyText text={text} what={label} />
      </div>
    </div>
  );
});

const cut = (text: string): string =>
  text.length <= SHOWN_MAX
    ? text
    : `${text.slice(0, SHOWN_MAX)}\n… cut here, ${bytesWords(text.length)} in all; copy to see the rest`;
