import { allows, rightsOf, roles, type Role } from './rights.js';
import { lanePlan, queuePlan, topicNames } from './topics.js';

const names = topicNames('ns');
const topics = [...lanePlan(names, 2), ...queuePlan(names, 'slow', 2)].map(({ name }) => name);
const may = (role: Role, operation: 'read' | 'write', topic: string) =>
  allows(rightsOf(names, role), 'topic', topic, operation);
const who = (operation: 'read' | 'write', topic: string) => roles.filter((role) => may(role, operation, topic));

describe('the rights of the roles', () => {
  it('let one role alone write what others take for true', () => {
    expect(who('write', names.history)).toEqual(['coordinator']);
    expect(who('write', names.commands('slow'))).toEqual(['coordinator']);
    expect(who('write', names.replies)).toEqual(['coordinator']);
    expect(who('write', names.aborts)).toEqual(['coordinator']);
    expect(who('write', names.journal)).toEqual(['executor']);
    expect(who('write', names.tools)).toEqual(['executor']);
    expect(who('write', names.verdicts)).toEqual(['reconciler']);
    expect(who('write', names.cluster)).toEqual(['admin']);
  });

  it('let nobody write to seats', () => {
    for (const seats of topics.filter((topic) => topic.includes('.seats.'))) expect(who('write', seats)).toEqual([]);
  });

  it('name a reader for each topic, and a writer for each but seats', () => {
    for (const topic of topics) {
      expect([topic, who('read', topic).length > 0]).toEqual([topic, true]);
      expect([topic, who('write', topic).length > 0]).toEqual([topic, !topic.includes('.seats.')]);
    }
  });

  it('let a submitter do no more than submit and hear what became of it', () => {
    expect(topics.filter((topic) => may('submitter', 'write', topic))).toEqual([names.requests]);
    expect(topics.filter((topic) => may('submitter', 'read', topic))).toEqual([names.replies, names.cluster]);
    expect(allows(rightsOf(names, 'submitter'), 'topic', names.history, 'describe')).toBe(false);
  });

  it('reach nothing of another namespace', () => {
    const other = topicNames('ns2');
    for (const role of roles) {
      for (const { name } of lanePlan(other, 1))
        expect(allows(rightsOf(names, role), 'topic', name, 'describe')).toBe(false);
    }
  });

  it('are no more than one entry for a resource', () => {
    for (const role of roles) {
      const all = rightsOf(names, role).map(({ resource }) => `${resource.type} ${resource.pattern} ${resource.name}`);
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
