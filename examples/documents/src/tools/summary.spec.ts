import { summarise } from './summary.js';

describe('summarising', () => {
  const text =
    'A log keeps what happened. The weather was fine. A log is read again after a crash, and what the log keeps is true. Nobody saw the sea.';

  it('takes the sentences with the most frequent words, in their own order', () =>
    expect(summarise(text, 2)).toBe(
      'A log keeps what happened. A log is read again after a crash, and what the log keeps is true.',
    ));

  it('gives the same summary every time', () => expect(summarise(text, 3)).toBe(summarise(text, 3)));

  it('gives a short text back, with its white space tidied', () =>
    expect(summarise('One  line\nonly', 2)).toBe('One line only'));

  it('has nothing to say about an empty text', () => expect(summarise(' \n\n ', 2)).toBe(''));
});
