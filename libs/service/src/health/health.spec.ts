import { Health } from './health.js';

describe('the health of a service', () => {
  it('is ready when every part is', () => {
    const health = new Health();
    health.contribute('lanes', () => ({ ok: true, data: { held: 4 } }));
    expect(health.report()).toStrictEqual({
      ready: true,
      reasons: [],
      checks: { lanes: { ok: true, data: { held: 4 } } },
    });
  });

  it('names what is not, and a check that fails itself', () => {
    const health = new Health();
    health.contribute('kafka', () => ({ ok: false, detail: 'no answer for 3 s' }));
    health.contribute('seats', () => {
      throw new Error('not joined');
    });
    expect(health.report()).toMatchObject({
      ready: false,
      reasons: ['kafka: no answer for 3 s', 'seats: the check itself failed: not joined'],
    });
  });

  it('forgets a part that is taken away, but not its successor', () => {
    const health = new Health();
    const away = health.contribute('lane', () => ({ ok: false }));
    health.contribute('lane', () => ({ ok: true }));
    away();
    expect(Object.keys(health.report().checks)).toStrictEqual(['lane']);
  });
});
