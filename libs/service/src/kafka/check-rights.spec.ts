import { topicNames } from '@holdfast/contracts';
import type { Needs } from '@holdfast/log';
import { checkRights, needsOf, RightsMissing } from './check-rights.js';
import type { Kafka } from './kafka.js';

const names = topicNames('ns');
const kafka = (missing?: readonly string[]) => {
  const asked: Needs[] = [];
  const answer = async (needs: Needs) => {
    asked.push(needs);
    return missing ?? [];
  };
  return { asked, kafka: (missing === undefined ? {} : { missing: answer }) as unknown as Kafka };
};

describe('the rights of a service', () => {
  it('are asked for topic by topic, with the groups that it joins', async () => {
    const { asked, kafka: open } = kafka([]);
    await checkRights(open, names, 'executor', ['default', 'slow']);
    expect(asked).toEqual([needsOf(names, 'executor', ['default', 'slow'])]);
    expect(asked[0]?.groups).toEqual(['ns.group.queue.default', 'ns.group.queue.slow']);
    expect(asked[0]?.topics).toContainEqual({ topic: 'ns.step-claims.slow', operations: ['read', 'write'] });
    expect(asked[0]?.topics).toContainEqual({ topic: 'ns.step-journal', operations: ['write'] });
    expect(asked[0]?.topics.map(({ topic }) => topic)).not.toContain('ns.run-events');
  });

  it('that are missing end its start, each with the role that has it', async () => {
    const { kafka: open } = kafka(['User:me may not write ns.step-journal; grant it with: … <role>=User:me']);
    const checked = checkRights(open, names, 'executor', []);
    await expect(checked).rejects.toThrow(RightsMissing);
    await expect(checked).rejects.toThrow('… executor=User:me');
  });

  it('are not asked for where nobody is asked who one is', async () => {
    await expect(checkRights(kafka().kafka, names, 'executor', [])).resolves.toBeUndefined();
  });
});
