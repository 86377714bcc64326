import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/platform/common/index.ts';
import { createDockerClient, parseDockerAddress } from '../../../../src/platform/runtime/docker/api/index.ts';
import { createDockerRuntime } from '../../../../src/platform/runtime/docker/docker-runtime.ts';
import { RuntimeUnreachable } from '../../../../src/platform/runtime/index.ts';

const nothingKnown = async () => ({ serviceIds: new Set<string>(), environmentIds: new Set<string>(), records: [] });

test('whatever is asked of an engine that is away says so, and nothing else', async () => {
  const docker = createDockerClient(parseDockerAddress('unix:///nowhere/docker.sock'));
  const runtime = createDockerRuntime({
    docker,
    clock: systemClock,
    platformId: 'platform',
    secretFor: () => Buffer.alloc(32).toString('base64url'),
    registry: {},
  });
  const { signal } = new AbortController();
  const asked = {
    observeRunning: () => runtime.observeRunning([], signal),
    sweep: () => runtime.sweep(nothingKnown, signal),
    logs: () =>
      runtime.logs(
        {
          deploymentId: 'd',
          service: { id: 's', name: 'web', environmentId: 'e', kind: 'container', spec: {} },
          runningSince: 0,
        } as never,
        10,
        signal,
      ),
    measure: () => runtime.meter!.begin()(signal),
    ...Object.fromEntries(runtime.reconcile!.map((each, index) => [`keep up ${index}`, () => each(signal)])),
  };
  expect(Object.keys(asked)).toHaveLength(7);
  for (const [what, ask] of Object.entries(asked)) await expect(ask(), what).rejects.toThrow(RuntimeUnreachable);
  await docker.close();
});
