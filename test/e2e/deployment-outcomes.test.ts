import { describe, expect, test } from 'vitest';
import type { LenientServiceStatus } from '../../src/analysis/index.ts';
import { awaitEarlierEnd, awaitEnd, awaitNewEnd } from '../../tools/shared/wait-for-end.ts';
import type { ToolContext } from '../../src/server/tool/index.ts';

const [old, ours, later] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
];

interface Scene {
  /** What the platform answers, one poll after the other; the last for good. */
  readonly polls: readonly Partial<LenientServiceStatus>[];
  /** Ids of the deployments that its history shows. */
  readonly history?: readonly string[];
  /** Requests left of a hundred. */
  readonly remaining?: number;
  /** Milliseconds that the call may take. */
  readonly time?: number;
  /** When the caller last changed something, in milliseconds since the start. Default: right then. */
  readonly changedAt?: number;
  /** The caller gives up during so manieth pause. */
  readonly abortsAt?: number;
}

const unused = () => {
  throw new Error('nothing else is to be done while waiting');
};

/** ToolContext of a platform whose time passes only while somebody waits. */
function scene({ polls, history = [], remaining = 100, time = 50_000, changedAt = 0, abortsAt = Infinity }: Scene) {
  const pauses: number[] = [];
  const messages: string[] = [];
  const counters = { reads: 0 };
  let now = 0;
  let isFresh = true;
  const context: ToolContext = {
    resolved: {},
    done: [],
    sent: [],
    replacements: () => [],
    read: unused,
    before: unused,
    whole: unused,
    answered: unused,
    attempt: (async ({ name }: { name: string }) => {
      if (name.startsWith('list_'))
        return { results: history.map((execution_id) => ({ identifier: { execution_id } })) };
      if (isFresh) counters.reads += 1;
      isFresh = false;
      return polls[Math.min(counters.reads, polls.length) - 1];
    }) as unknown as ToolContext['attempt'],
    forget: () => {
      isFresh = true;
    },
    now: () => now,
    timeLeft: () => time - now,
    sinceChange: () => now - changedAt,
    pause: async (milliseconds) => {
      pauses.push(milliseconds);
      now += milliseconds;
    },
    isDenied: () => false,
    isAborted: () => pauses.length >= abortsAt,
    leftOut: unused,
    refuseWithout: unused,
    notAsAsked: unused,
    progress: (message) => void messages.push(message),
    hiddenIn: () => [],
    lacks: () => false,
    budget: () => ({ remaining, limit: 100, resetAt: 3_600_000, seenAt: 0 }),
    refuse: unused,
  };
  return { context, pauses, messages, counters };
}

const service = { kind: 'container', id: 'x' } as const;
const at = (state: string, deployment_request_id: string = ours): Partial<LenientServiceStatus> => ({
  state,
  deployment_request_id,
});

describe('what was asked for by its id', () => {
  test.each<[string, 'DEPLOY' | 'RESTART' | 'STOP', Partial<LenientServiceStatus>[], string, number]>([
    ['good', 'DEPLOY', [at('DEPLOYMENT_QUEUED'), at('BUILDING'), at('DEPLOYED')], 'succeeded', 3],
    ['bad', 'DEPLOY', [at('BUILDING'), at('BUILD_ERROR')], 'failed', 2],
    ['canceled', 'DEPLOY', [at('BUILDING'), at('CANCELED')], 'canceled', 2],
    [
      'an old end for some polls',
      'DEPLOY',
      [at('DEPLOYED', old), at('DEPLOYED', old), at('DEPLOYED', old), at('DEPLOYMENT_ERROR')],
      'failed',
      4,
    ],
    [
      'an old failure for some polls',
      'DEPLOY',
      [at('DEPLOYMENT_ERROR', old), at('DEPLOYMENT_ERROR', old), at('DEPLOYED')],
      'succeeded',
      3,
    ],
    ['an old end, restarting', 'RESTART', [at('RESTARTED', old), at('RESTARTING'), at('RESTARTED')], 'succeeded', 3],
    ['stopping', 'STOP', [at('DEPLOYED', old), at('STOPPING'), at('STOPPED')], 'succeeded', 3],
    ['a stop that fails', 'STOP', [at('STOPPING'), at('STOP_ERROR')], 'failed', 2],
    ['a state nobody knows', 'DEPLOY', [at('HATCHING'), at('DEPLOYED')], 'succeeded', 2],
  ])('%s', async (_, action, polls, outcome, reads) => {
    const { context, counters } = scene({ polls });
    expect(await awaitEnd(context, service, { action, deployment: ours })).toMatchObject({ outcome });
    expect(counters.reads).toBe(reads);
  });

  test('a later deployment took its place', async () => {
    const { context } = scene({ polls: [at('BUILDING', later)] });
    expect(
      await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours, before: at('DEPLOYED', old) }),
    ).toMatchObject({ outcome: 'superseded' });
  });
});

describe('what was asked for without an id', () => {
  test('is not the end that was there before', async () => {
    const { context } = scene({ polls: [at('DEPLOYED', old), at('BUILDING'), at('BUILD_ERROR')] });
    expect(await awaitNewEnd(context, service, { action: 'DEPLOY' })).toMatchObject({
      outcome: 'failed',
      status: { deployment_request_id: ours },
    });
  });

  test('is the end that stays', async () => {
    const { context, counters } = scene({ polls: [at('DEPLOYED')] });
    expect(await awaitNewEnd(context, service, { action: 'DEPLOY' })).toMatchObject({ outcome: 'succeeded' });
    expect(counters.reads).toBe(2);
  });
});

describe('the time', () => {
  test.each([
    { remaining: 100, seconds: 50 },
    { remaining: 5, seconds: 50 },
    { remaining: 5, seconds: 45 },
    { remaining: 100, seconds: 10 },
  ])('over first, it goes on, and there is time to tell: %j', async ({ remaining, seconds }) => {
    const { context } = scene({ polls: [at('BUILDING')], remaining });
    expect(await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours }, { seconds })).toMatchObject({
      outcome: 'running',
      status: { state: 'BUILDING' },
    });
    expect(context.timeLeft()).toBeGreaterThanOrEqual(4_000);
    expect(context.now()).toBeLessThanOrEqual(seconds * 1000);
  });

  test('spent on a question is not waited for again', async () => {
    const { context } = scene({ polls: [at('BUILDING')], time: 6_000 });
    expect(await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours })).toMatchObject({
      outcome: 'running',
    });
    expect(context.timeLeft()).toBeGreaterThanOrEqual(4_000);
  });

  test('is asked for seldom when few requests are left', async () => {
    const [rich, poor] = [scene({ polls: [at('BUILDING')] }), scene({ polls: [at('BUILDING')], remaining: 10 })];
    for (const { context } of [rich, poor]) await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours });
    expect(poor.counters.reads).toBeLessThanOrEqual(6);
    expect(rich.counters.reads).toBeGreaterThan(poor.counters.reads * 2);
  });

  test('ends when the caller gives up', async () => {
    const { context, counters } = scene({ polls: [at('BUILDING')], abortsAt: 2 });
    expect(await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours })).toMatchObject({
      outcome: 'running',
    });
    expect(counters.reads).toBe(3);
  });
});

describe('what never shows', () => {
  test.each<[string, Parameters<typeof awaitEarlierEnd>[2], Partial<LenientServiceStatus>, string]>([
    ['a deployment that nobody knows', { action: 'DEPLOY', deployment: ours }, at('DEPLOYED', old), 'not_seen'],
    [
      'a deployment that nobody knows, and the one before failed',
      { action: 'RESTART', deployment: ours },
      at('DEPLOYMENT_ERROR', old),
      'not_seen',
    ],
    ['a deployment of what has none', { action: 'DEPLOY', deployment: ours }, { state: 'READY' }, 'not_seen'],
    ['any deployment of what has none', { action: 'DEPLOY' }, { state: 'READY' }, 'never_deployed'],
  ])('is looked for once more and no longer: %s', async (_, asked, status, outcome) => {
    const { context, counters } = scene({ polls: [status] });
    expect(await awaitEarlierEnd(context, service, asked, 45)).toMatchObject({ outcome, waited_seconds: 3 });
    expect(counters.reads).toBe(2);
  });

  test('and is an earlier one, is told as that', async () => {
    const { context } = scene({ polls: [at('DEPLOYED', later)], history: [later, ours] });
    expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY', deployment: ours }, 45)).toMatchObject({
      outcome: 'superseded',
    });
  });

  test('is waited for longer where it was ordered just now', async () => {
    const { context } = scene({ polls: [at('DEPLOYED', old)] });
    expect(await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours })).toMatchObject({
      outcome: 'not_seen',
    });
    expect(context.now()).toBeGreaterThan(5_000);
    expect(context.now()).toBeLessThan(20_000);
  });

  test('but shows a moment later, is waited for', async () => {
    const { context } = scene({ polls: [at('DEPLOYED', old), at('BUILDING'), at('BUILDING'), at('DEPLOYED')] });
    expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY', deployment: ours }, 45)).toMatchObject({
      outcome: 'succeeded',
    });
  });

  test('while another is under way, may have its turn after that', async () => {
    const { context } = scene({ polls: [...Array.from({ length: 8 }, () => at('DEPLOYING', old)), at('DEPLOYED')] });
    expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY', deployment: ours }, 45)).toMatchObject({
      outcome: 'succeeded',
    });
  });
});

test('progress is told while it goes on, and never of the end', async () => {
  const { context, messages } = scene({
    polls: [at('DEPLOYED', old), at('DEPLOYMENT_QUEUED'), at('BUILDING'), at('DEPLOYED')],
  });
  await awaitEnd(context, service, { action: 'DEPLOY', deployment: ours });
  expect(messages.map((message) => message.split(',')[0])).toEqual(['DEPLOYED', 'DEPLOYMENT_QUEUED', 'BUILDING']);
});

describe('something at rest, whose caller changed nothing lately', () => {
  test.each<[string, Partial<LenientServiceStatus>, string]>([
    ['deployed', at('DEPLOYED', old), 'succeeded'],
    ['failed', at('DEPLOYMENT_ERROR', old), 'failed'],
    ['never deployed', { state: 'READY' }, 'never_deployed'],
  ])('is told at once: %s', async (_, status, outcome) => {
    for (const changedAt of [-10_000, Number.NEGATIVE_INFINITY]) {
      const { context, pauses, counters } = scene({ polls: [status], changedAt });
      expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY' }, 45)).toMatchObject({
        outcome,
        waited_seconds: 0,
      });
      expect([pauses, counters.reads]).toEqual([[], 1]);
    }
  });

  test('is looked for a moment longer where a deployment is named that it does not show', async () => {
    const { context, pauses } = scene({ polls: [at('DEPLOYED', old)], changedAt: Number.NEGATIVE_INFINITY });
    expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY', deployment: ours }, 45)).toMatchObject({
      outcome: 'not_seen',
    });
    expect(pauses).toEqual([3_000]);
  });

  test('is looked at twice where the caller has just changed something', async () => {
    const { context, pauses } = scene({ polls: [at('DEPLOYED', old), at('DEPLOYED')], changedAt: -9_000 });
    expect(await awaitEarlierEnd(context, service, { action: 'DEPLOY' }, 45)).toMatchObject({
      outcome: 'succeeded',
      status: { deployment_request_id: ours },
    });
    expect(pauses[0]).toBe(3_000);
  });
});
