import { afterEach, expect, test } from 'vitest';
import { minimumObservationMilliseconds } from '../../../src/platform/engine/index.ts';
import { type Observation, runtimesOf, simulatedRuntimeName } from '../../../src/platform/runtime/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import {
  addEnvironment,
  type ManualClock,
  manualClock,
  openEngineFixture,
  type EngineFixture,
} from './engine-fixture.ts';

// More than these steps of time should ever bring about: here a runtime that is asked without end gives up.
const tooMany = 500;
const steps = 20;

let fixture: EngineFixture;
afterEach(() => fixture.close());

/** When a task that stays under way is observed, in so many steps from one due moment to the next. */
const momentsOf = async (clock: ManualClock, lookAgainAt: () => number): Promise<number[]> => {
  const observed: number[] = [];
  const observe = async (): Promise<Observation> => {
    observed.push(clock.now());
    const observation = { lines: [], cursor: String(observed.length) };
    return observed.length > tooMany
      ? { ...observation, outcome: 'succeeded' }
      : { ...observation, outcome: 'ongoing', nextPollAt: lookAgainAt() };
  };
  fixture = await openEngineFixture({
    clock,
    timeScale: 1,
    engine: {
      runtimes: runtimesOf({ [simulatedRuntimeName]: { ...createSimulatedRuntime({ clock, timeScale: 1 }), observe } }),
    },
  });
  const { environmentId, ids } = await addEnvironment(fixture.db, 'ongoing', { db: { kind: 'database' } });
  await fixture.order({ environmentId, serviceIds: [ids['db']!] });
  for (let step = 0; step < steps; step += 1) {
    const due = await fixture.engine.settled();
    clock.advance(due! - clock.now());
  }
  await fixture.engine.settled();
  return observed;
};

const gapsOf = (moments: readonly number[]): number[] =>
  moments.slice(1).map((moment, index) => moment - moments[index]!);

test.each<[string, (clock: ManualClock) => number]>([
  ['the present', (clock) => clock.now()],
  ['the past', () => 0],
  ['a moment that is too near', (clock) => clock.now() + 1],
  ['no number', () => Number.NaN],
  ['never', () => Number.POSITIVE_INFINITY],
  ['nothing', () => undefined as unknown as number],
])('a task whose runtime says to look again at %s is observed once in a while', async (_name, lookAgainAt) => {
  const clock = manualClock();
  const observed = await momentsOf(clock, () => lookAgainAt(clock));
  expect(observed).toHaveLength(steps);
  expect(new Set(gapsOf(observed))).toEqual(new Set([minimumObservationMilliseconds]));
});

test('a task is observed when its runtime says so', async () => {
  const clock = manualClock();
  const observed = await momentsOf(clock, () => clock.now() + 2000);
  expect(observed).toHaveLength(steps);
  expect(new Set(gapsOf(observed))).toEqual(new Set([2000]));
});
