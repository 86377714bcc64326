import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock, systemRandom } from '../../src/platform/common/index.ts';
import { createDockerRuntime } from '../../src/platform/runtime/docker/docker-runtime.ts';
import type { ServiceToRun } from '../../src/platform/runtime/index.ts';
import { type DockerPlatform, scriptContainer, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { scriptJob } from '../support/docker/script-job.ts';
import { describeRuntime } from '../support/runtime-conformance.ts';

let docker: DockerPlatform;
beforeAll(async () => {
  docker = await startDockerPlatform();
  await docker.publish('shell', '1');
});
afterAll(() => docker?.end());

describe('the runtime on a Docker engine', () => {
  const platformId = systemRandom.uuid();
  const environmentId = systemRandom.uuid();
  const running = { gpu: 0, min_running_instances: 1, max_running_instances: 1, ports: [], storage: [] };
  const container = (script: string) =>
    ({
      kind: 'container',
      id: systemRandom.uuid(),
      name: 'tried',
      environmentId,
      spec: { ...running, ...scriptContainer(docker.registryId, script) },
    }) as unknown as ServiceToRun;
  describeRuntime(() => ({
    create: () =>
      createDockerRuntime({
        docker: docker.engine.docker,
        clock: systemClock,
        platformId,
        secretFor: () => Buffer.alloc(32).toString('base64url'),
      }),
    good: () => container('echo "up"; exec sleep 600'),
    bad: () => container('echo "down"; exit 3'),
    job: () =>
      ({
        kind: 'job',
        id: systemRandom.uuid(),
        name: 'tried',
        environmentId,
        spec: scriptJob(docker.registryId, 'echo ran; sleep 2'),
      }) as unknown as ServiceToRun,
    jobSays: 'ran',
    inputs: async () => ({
      variables: [],
      registry: { name: 'tests', kind: 'GENERIC_CR', url: `http://${docker.registry.host}` },
    }),
    now: () => Date.now(),
  }));
});
