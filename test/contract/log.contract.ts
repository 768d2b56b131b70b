import type { Log } from '@holdfast/log';
import { describeAppending } from './log/appending.js';
import { describeClosing } from './log/closing.js';
import { describeReading } from './log/reading.js';
import { describeTailing } from './log/tailing.js';
import type { LogUnderTest, LogWorld } from './log/world.js';

/** The contract of `Log`, the same for every implementation. `make` is called once, before the first test. */
export function describeLog(name: string, make: () => Promise<LogUnderTest>): void {
  describe(`${name}: the log`, () => {
    let subject: LogUnderTest;
    let log: Log;

    beforeAll(async () => {
      subject = await make();
      log = subject.open();
    });

    afterAll(async () => {
      await log.close();
      await subject.stop();
    });

    const world: LogWorld = {
      get subject() {
        return subject;
      },
      get log() {
        return log;
      },
      topic: (partitions = 1, bytesMax) => subject.topic(partitions, bytesMax),
    };
    describeAppending(world);
    describeReading(world);
    describeTailing(world);
    describeClosing(world);
  });
}
