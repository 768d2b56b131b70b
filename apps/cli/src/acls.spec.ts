import type { Grant } from '@holdfast/log';
import { world } from './cli.fixture.js';

const held = (grants: readonly Grant[]) => grants.map(({ operation, name }) => `${operation} ${name}`);

describe('holdfast acls', () => {
  it('prints the rights of all roles without a cluster, and of those that are named', async () => {
    const all = world();
    expect(await all.run('acls')).toBe(0);
    expect(all.out()).toMatch(/coordinator +User:coordinator +topic +holdfast\.run-events +read, write/);
    expect(all.out()).toMatch(/executor +User:executor +topic +holdfast\.step-claims\.\* +read, write/);
    const one = world();
    expect(await one.run('--json', 'acls', '--print', '--principal', 'submitter=User:shop')).toBe(0);
    const rights = one
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; operations: string[] });
    expect(rights.map(({ name, operations }) => `${name} ${operations.join()}`)).toEqual([
      'holdfast.run-replies read',
      'holdfast.cluster read',
      'holdfast.run-requests write',
    ]);
  });

  it('grants what is missing, once, and takes away what is beyond it when told', async () => {
    const beyond = {
      principal: 'User:shop',
      type: 'topic',
      name: 'holdfast.run-events',
      pattern: 'literal',
      operation: 'write',
    } as const;
    const elsewhere = { ...beyond, name: 'other.topic' };
    const grants: Grant[] = [beyond, elsewhere];
    const run = async (...args: string[]) => {
      const shell = world({ grants });
      expect(await shell.run('acls', '--apply', '--principal', 'submitter=User:shop', ...args)).toBe(0);
      return shell.out();
    };
    expect(await run()).toContain(
      'User:shop: 3 rights granted, 0 were there.\n  write topic holdfast.run-events: has it',
    );
    expect(await run()).toContain('0 rights granted, 3 were there.');
    expect(await run('--revoke-others')).toContain('write topic holdfast.run-events: taken away');
    expect(held(grants)).toEqual([
      'write other.topic',
      'read holdfast.run-replies',
      'read holdfast.cluster',
      'write holdfast.run-requests',
    ]);
  });

  it('wants roles that there are, and somebody to grant to', async () => {
    expect(await world().run('acls', '--principal', 'king=User:a')).toBe(2);
    expect(await world().run('acls', '--apply')).toBe(2);
  });
});

describe('holdfast topics', () => {
  it('compares, creates when told, and has nothing to say after that', async () => {
    const shell = world({ tools: new Map() });
    expect(await shell.run('topics', '--lanes', '1', '--queues', 'slow:2')).toBe(1);
    expect(shell.out()).toContain('holdfast.step-commands.slow');
    const other = world();
    expect(await other.run('topics', '--lanes', '1', '--queues', 'slow:2', '--apply')).toBe(0);
    expect(other.out()).toMatch(/^\d+ topics of 1 lane as they must be\.$/m);
  });

  it('wants numbers', async () => {
    const shell = world();
    expect(await shell.run('topics', '--lanes', 'many')).toBe(2);
    expect(shell.err()).toContain('HOLDFAST_LANES: expected a whole number');
  });
});
