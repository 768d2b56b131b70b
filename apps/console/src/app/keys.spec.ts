import { hear, shortcuts } from './keys.js';

const press = (...keys: readonly string[]) => {
  let pending = '';
  const hits: string[] = [];
  for (const key of keys) {
    const heard = hear(pending, key);
    pending = heard.pending;
    if (heard.hit !== null) hits.push(heard.hit.keys);
  }
  return { hits, pending };
};

describe('the keyboard', () => {
  it('hears each shortcut', () => {
    for (const { keys } of shortcuts) expect(press(...keys.split(' ')).hits).toEqual([keys]);
  });

  it('waits for the second key, and takes another one for the first of its own', () => {
    expect(press('g')).toEqual({ hits: [], pending: 'g' });
    expect(press('g', 'j').hits).toEqual(['j']);
    expect(press('g', 'g', 'r').hits).toEqual(['g r']);
    expect(press('x', 'q')).toEqual({ hits: [], pending: '' });
  });

  it('has no key twice', () => {
    expect(new Set(shortcuts.map(({ keys }) => keys)).size).toBe(shortcuts.length);
  });
});
