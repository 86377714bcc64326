import { expect, test } from 'vitest';
import { registryLabels, type RegistryPart } from '../../../../src/platform/runtime/docker/labels.ts';
import { drainNode, planDrain } from '../../../../src/platform/runtime/docker/nodes/drain-node.ts';
import { startFakeEngine } from './fake-engine.ts';

const node = (name: string) => ({
  ID: name,
  Description: { Hostname: name },
  Status: { State: 'ready' },
  Spec: { Availability: 'active', Role: 'worker' },
});

const part = (name: RegistryPart, mode: object) => ({
  ID: name,
  Spec: {
    Name: `infra-${name}-5f0c`,
    Labels: registryLabels('5f0c', name),
    Mode: mode,
    TaskTemplate: {
      RestartPolicy: { Condition: 'any' },
      Placement: { Constraints: ['node.id==one'] },
      Networks: [{ Target: 'host' }],
    },
  },
});

test('the registry of the platform is called so, and not by its name on the engine', async () => {
  const services = [part('registry', { Replicated: { Replicas: 1 } }), part('forwarder', { Global: {} })];
  const { docker } = await startFakeEngine((response, { url }) => {
    if (url.includes('/nodes')) return response.end(JSON.stringify([node('one'), node('two')]));
    if (url.includes('/tasks'))
      return response.end(JSON.stringify(services.map(({ ID }) => ({ ID: `task-${ID}`, ServiceID: ID }))));
    return response.end(JSON.stringify(services));
  });
  expect(await planDrain(docker, 'one')).toEqual({
    node: { id: 'one', name: 'one' },
    moving: [],
    others: 0,
    staying: [{ id: 'registry', name: "the platform's registry", why: 'its storage or its image is there' }],
  });
});

test('a drain that fails says so where its beginning can not be undone', async () => {
  const first = { ...node('one'), Version: { Index: 1 } };
  let isPaused = false;
  const { docker } = await startFakeEngine((response, { method, url }) => {
    if (url.includes('/services/web'))
      return response.writeHead(500).end(JSON.stringify({ message: 'something broke' }));
    if (method === 'POST') isPaused = true;
    else if (url.includes('/services'))
      return response.writeHead(500).end(JSON.stringify({ message: 'it is broken still' }));
    return response.end(JSON.stringify(first));
  });
  const plan = { node: { id: 'one', name: 'one' }, moving: [{ id: 'web', name: 'web' }], staying: [], others: 0 };
  await expect(drainNode(docker, plan, () => undefined)).rejects.toThrow(
    /something broke.* The node one was not drained, and may still be paused, which could not be undone: drain it again, or set it back with docker node update --availability active one; what has moved stays where it is\.$/,
  );
  expect(isPaused).toBe(true);
});
