import { armFailpoints, failpoint, parseFailpoints, type FailpointAction } from './failpoint.js';

describe('a failpoint', () => {
  it('acts at the n-th hit of its name, once', () => {
    const acted: FailpointAction[] = [];
    const hit = armFailpoints(parseFailpoints('after-claim:2=kill, before-append=stop'), (action) =>
      acted.push(action),
    );
    hit('after-claim');
    hit('elsewhere');
    expect(acted).toStrictEqual([]);
    hit('after-claim');
    hit('before-append');
    hit('before-append');
    hit('after-claim');
    expect(acted).toStrictEqual(['kill', 'stop']);
  });

  it.each(['x', 'x=explode', 'x:0=kill', 'x:y=kill', '=kill', ''])('refuses the text "%s"', (text) =>
    expect(() => parseFailpoints(text)).toThrow('HOLDFAST_FAILPOINT: expected name[:n]=kill|stop|exit'),
  );

  it('does nothing when none is set', () => expect(() => failpoint('anywhere')).not.toThrow());
});
