import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Phase, Task } from '../../../src/platform/runtime/index.ts';
import {
  createSimulatedRuntime,
  fromCursor,
  type PhaseProgress,
  type SimulationOptions,
  toCursor,
} from '../../../src/platform/runtime/simulated/simulated-runtime.ts';
import type { SimulationContext, PlatformState } from '../../../src/platform/runtime/simulated/index.ts';
import { manualClock, specs } from '../engine/engine-fixture.ts';
import { runs } from '../../support/runs.ts';

const phase: Phase = {
  state: 'DEPLOYING',
  step: 'DEPLOYMENT',
  operation: 'rollOut',
  limitSeconds: 3600,
  onFailure: 'DEPLOYMENT_ERROR',
};
const clock = manualClock();
const call = {
  inputs: async () => ({ variables: [] }),
  confirm: async () => undefined,
  signal: new AbortController().signal,
};
const began = clock.now();

const task = {
  deploymentId: '5a2c0e7e-1111-4111-8111-111111111111',
  action: 'DEPLOY',
  beganAt: began,
  phase,
  service: { kind: 'container', id: 'x', name: 'web', environmentId: 'y', spec: specs['container'] },
} as unknown as Task;

/** A world of one image, whose program needs a variable, and what is around it. */
const around = (variables: ReadonlyMap<string, string | null>): SimulationContext => {
  const surroundings: PlatformState = {
    environment: async () => ({ createdAt: 0, clusterId: 'z' }),
    variables: async () => variables,
    runningService: async () => undefined,
    consecutiveFailures: async () => 0,
    registryHost: async () => 'registry.example.com',
  };
  const program = { language: 'node', variables: ['TOKEN_URL'] } as const;
  const images = {
    'acme/web': { registries: ['00000000-0000-4000-8000-0000000000bb'], tags: { '1.4.2': { program } } },
  };
  return { platform: surroundings, facts: { images, repositories: {}, charts: {}, clusters: {} } };
};

const runtime = (context: SimulationContext, more: Partial<SimulationOptions> = {}) =>
  createSimulatedRuntime({ clock, timeScale: 1, simulation: context, ...more });

test('what stands in the way is found when a phase begins, and stays with it; the next phase looks again', async () => {
  const variables = new Map<string, string | null>();
  const web = runtime(around(variables));
  const first = await web.observe(task, null, call);
  expect(first.outcome).toBe('ongoing');
  variables.set('TOKEN_URL', 'https://tokens.example.com');
  clock.advance(600_000);
  expect(await web.observe(task, first.cursor, call)).toMatchObject({
    outcome: 'failed',
    why: { details: { said: expect.stringContaining('CrashLoopBackOff') } },
  });
  expect(await web.observe(task, null, call)).toMatchObject({ outcome: 'succeeded' });
});

const endWith = async (value: string | null) =>
  (await runtime(around(new Map([['TOKEN_URL', value]]))).observe(task, null, call)).outcome;

test('a secret counts as there, an empty value does not', async () => {
  clock.advance(600_000);
  expect([await endWith(null), await endWith('')]).toEqual(['succeeded', 'failed']);
});

test('lines read in pieces, by processes that know nothing of each other, are those that are read at once', async () => {
  const context = around(new Map());
  const allLines = (await runtime(context).observe({ ...task, beganAt: began }, null, call)).lines;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 6 }), async (moments) => {
      const lines: unknown[] = [];
      let cursor: string | null = null;
      for (const moment of [...moments.toSorted((one, other) => one - other), 600_000]) {
        const observed = await createSimulatedRuntime({
          clock: { now: () => began + moment },
          timeScale: 1,
          simulation: context,
        }).observe({ ...task, beganAt: began }, cursor, call);
        lines.push(...observed.lines);
        cursor = observed.cursor;
      }
      expect(lines).toEqual(allLines);
    }),
    { numRuns: runs(30) },
  );
});

test('nothing stands in the way of what starts no instance', async () => {
  const none = {
    ...task,
    service: { ...task.service, spec: { ...specs['container'], min_running_instances: 0 } },
  } as Task;
  clock.advance(600_000);
  expect((await runtime(around(new Map())).observe(none, null, call)).outcome).toBe('succeeded');
});

const strike: SimulationOptions['faults'] = ({ seconds }) => ({ seconds, lines: ['struck'], failure: 'struck' });

test('a fault that is asked for goes before what the world has', async () => {
  expect(await runtime(around(new Map()), { faults: strike }).observe(task, null, call)).toMatchObject({
    outcome: 'failed',
    why: { reason: 'PHASE_FAILED', details: { said: 'struck' } },
  });
});

test('a cursor gives back what was put into it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.array(fc.string()), { nil: undefined }), (said, names) => {
      const memory: PhaseProgress = {
        reportedLines: said,
        ...(names && { cause: { kind: 'variables-missing', names } }),
      };
      expect(fromCursor(toCursor(memory))).toEqual(memory);
    }),
  );
});
