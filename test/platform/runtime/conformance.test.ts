import { describe } from 'vitest';
import { systemRandom } from '../../../src/platform/common/index.ts';
import type { ServiceToRun } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { describeRuntime } from '../../support/runtime-conformance.ts';
import { manualClock, specs } from '../engine/engine-fixture.ts';

const container = (name: string) =>
  ({
    kind: 'container',
    id: systemRandom.uuid(),
    name,
    environmentId: systemRandom.uuid(),
    spec: specs['container'],
  }) as unknown as ServiceToRun;

const job = () =>
  ({
    kind: 'job',
    id: systemRandom.uuid(),
    name: 'job',
    environmentId: systemRandom.uuid(),
    spec: specs['job'],
  }) as unknown as ServiceToRun;

describe('the simulated runtime', () => {
  const clock = manualClock();
  describeRuntime(() => ({
    create: () =>
      createSimulatedRuntime({
        clock,
        timeScale: 1,
        faults: ({ task, seconds }) =>
          task.service.name === 'bad' && task.phase.operation === 'rollOut'
            ? { seconds, lines: ['It fails.'], failure: 'It fails.' }
            : undefined,
      }),
    good: () => container('good'),
    bad: () => container('bad'),
    job,
    jobSays: 'job started',
    inputs: async () => ({ variables: [] }),
    waitUntil: (moment) => clock.advance(moment - clock.now()),
    now: () => clock.now(),
  }));
});
