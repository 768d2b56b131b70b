import { routes, sentAgainSchema, type DeadLetterView, type SentAgain } from '@holdfast/api';
import { Button, Drawer } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changes, endpoints } from '../api/endpoints.js';
import { postJson } from '../api/http.js';
import { useMissing } from '../api/use-me.js';
import { useAnswer } from '../api/use-answer.js';
import { bytesWords } from '../format/numbers.js';
import { Json } from '../parts/json.js';
import { Facts } from '../parts/layout.js';
import { Answered, ProblemNote } from '../parts/states.js';
import { Absolute } from '../parts/times.js';
import { contentOf } from './content.js';
import classes from './letters.module.css';

type Props = { readonly id: string | null; readonly onClose: () => void };

/** One dead letter with its bytes, and the way back into its topic. */
export const LetterDrawer = ({ id, onClose }: Props) => (
  <Drawer
    opened={id !== null}
    onClose={onClose}
    position="right"
    size="min(640px, 100%)"
    title={`Dead letter ${id ?? ''}`}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {id !== null && <Letter id={id} />}
  </Drawer>
);

const Letter = ({ id }: { readonly id: string }) => {
  const query = useAnswer(endpoints.deadLetter(id));
  return (
    <Answered query={query} what="the dead letter">
      {query.data && (
        <div className={classes.body}>
          <LetterFacts letter={query.data} />
          <Content letter={query.data} />
          <SendAgain letter={query.data} />
        </div>
      )}
    </Answered>
  );
};

const LetterFacts = ({ letter }: { readonly letter: DeadLetterView }) => (
  <Facts
    facts={[
      ['Why', letter.reason],
      [
        'Code',
        <span key="code" className="mono">
          {letter.code}
        </span>,
      ],
      [
        'From',
        <span
          key="from"
          className="mono"
        >{`${letter.topic}, partition ${letter.partition}, offset ${letter.offset}`}</span>,
      ],
      [
        'Key',
        letter.key === null ? (
          'none'
        ) : (
          <span key="key" className="mono">
            {letter.key}
          </span>
        ),
      ],
      ['Found by', letter.by],
      ['When', <Absolute key="at" at={letter.at} />],
      ['Size', bytesWords(letter.bytes)],
      [
        'Sent again',
        letter.sentAgain === 0 ? 'never' : `${letter.sentAgain} times, last by ${letter.sentAgainBy ?? 'somebody'}`,
      ],
    ]}
  />
);

const Content = ({ letter }: { readonly letter: DeadLetterView }) => {
  const content = contentOf(letter.value);
  if (content.kind === 'none') return <p className="dim">It has no content.</p>;
  if (content.kind === 'json') return <Json value={content.value} label="Content" />;
  return (
    <>
      {content.kind === 'bytes' && <p className="dim">It is no text; this is base64.</p>}
      <pre className={classes.text} tabIndex={0} role="group" aria-label="Content">
        {content.text}
      </pre>
    </>
  );
};

const SendAgain = ({ letter }: { readonly letter: DeadLetterView }) => {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const why = useMissing()(routes.sendAgain);
  const send = useMutation({
    mutationFn: () => postJson(changes.sendAgain(letter.id), {}, sentAgainSchema),
    onSuccess: () => {
      setAsking(false);
      void client.invalidateQueries();
    },
  });
  if (send.data !== undefined) {
    return (
      <p role="status">
        It is in {send.data.topic} again, at offset {send.data.offset}. {saidOf(send.data.answer)}
      </p>
    );
  }
  return (
    <div className={classes.again}>
      {send.error && <ProblemNote error={send.error} />}
      {asking ? (
        <>
          <p>
            The same bytes are appended to <span className="mono">{letter.topic}</span> once more, under your name.
            Where it still cannot be read it comes back here; a request that was already carried out changes nothing.
          </p>
          <Button onClick={() => send.mutate()} loading={send.isPending}>
            Send it again now
          </Button>
          <Button variant="default" onClick={() => setAsking(false)}>
            Leave it here
          </Button>
        </>
      ) : (
        <>
          <Button variant="default" onClick={() => setAsking(true)} disabled={why !== null}>
            Send again…
          </Button>
          {why !== null && <span>{why}</span>}
        </>
      )}
    </div>
  );
};

const saidOf = (answer: SentAgain['answer']): string => {
  if (answer === null) return 'Nobody has answered it yet.';
  const reason = answer.message === undefined ? '' : `: ${answer.message}`;
  return `Its coordinator says: ${answer.outcome}${reason}`;
};
