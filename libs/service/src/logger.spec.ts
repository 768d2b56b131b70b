import { about } from '@holdfast/telemetry';
import { createLogger } from './logger.js';

const lines: Record<string, unknown>[] = [];
const logger = createLogger(
  { service: 'executor', instance: 'e1', logLevel: 'info' },
  { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
);

describe('a log line', () => {
  beforeEach(() => lines.splice(0));

  it('says who writes and what it is about', () => {
    about(logger, { runId: 'doc-1', stepId: 'read', attemptId: 'doc-1/read/0', lane: 3 }).info({}, 'claimed');
    expect(lines).toMatchObject([
      {
        level: 'info',
        service: 'executor',
        instance: 'e1',
        runId: 'doc-1',
        stepId: 'read',
        attemptId: 'doc-1/read/0',
        lane: 3,
        msg: 'claimed',
      },
    ]);
    expect(Date.parse(lines[0]?.['time'] as string)).not.toBeNaN();
  });

  it('holds no contents', () => {
    logger.info({ args: { pin: 'p1' }, call: { result: 'p2', tool: 'pay@1' }, password: 'p3' }, 'done');
    expect(JSON.stringify(lines)).not.toMatch(/p[123]/);
    expect(lines).toMatchObject([{ call: { tool: 'pay@1' } }]);
  });
});
