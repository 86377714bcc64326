import { expect, test } from 'vitest';
import { createClusterRegistry } from '../../../../src/platform/runtime/docker/registry/registry.ts';
import { createRegistryRequests } from '../../../../src/platform/runtime/docker/registry/registry-request.ts';
import { registrySettings } from '../../../../src/platform/runtime/docker/registry/settings.ts';
import { startFakeEngine } from './fake-engine.ts';

const platformId = '11111111-2222-4333-8444-555555555555';
const settings = registrySettings({}, 'docker.io/library/caddy:2');
const forwarder = { 'io.infra-mcp.platform': platformId, 'io.infra-mcp.registry': 'forwarder' };

/**
 * What an engine has whose tenant runs an image with the label of the forwarder. Containers have the labels of their
 * images, services don't.
 */
const answers: Readonly<Record<string, unknown>> = {
  '/info': { Architecture: 'x86_64', Swarm: { NodeID: 'n1' } },
  '/containers/json': [
    { Id: 'impostor', Names: ['/infra-web.1.x'], Labels: forwarder },
    { Id: 'real', Names: ['/infra-forwarder.n1.x'], Labels: forwarder },
  ],
  '/services': [
    { ID: 's1', Version: { Index: 1 }, Spec: { Name: `infra-forwarder-${platformId}`, Labels: forwarder } },
  ],
  '/tasks': [
    {
      ID: 't1',
      ServiceID: 's1',
      NodeID: 'n1',
      DesiredState: 'running',
      Status: { State: 'running', ContainerStatus: { ContainerID: 'real' } },
    },
  ],
};

test('the password of the registry reaches no container whose image has the label of what forwards to it', async () => {
  const engine = await startFakeEngine((response, { method, url }) => {
    const found = method === 'GET' ? answers[url.replace(/^\/v1\.\d+/, '').replace(/\?.*/, '')] : undefined;
    if (method === 'POST') response.statusCode = 500;
    response.end(JSON.stringify(found ?? {}));
  });
  const ask = createRegistryRequests({
    docker: engine.docker,
    platformId,
    settings,
    secretFor: (purpose) => `${purpose}-secret`,
  });
  // This engine begins nothing.
  await expect(ask('GET', '/v2/_catalog', new AbortController().signal)).rejects.toThrow();
  const told = engine.seen
    .filter(({ body }) => body.includes('Authorization: Basic'))
    .map(({ url }) => url.replace(/^\/v1\.\d+/, ''));
  expect(told).toEqual(['/containers/real/exec']);
  expect(engine.seen.filter(({ url }) => url.includes('impostor'))).toEqual([]);
});

test('where nothing forwards, nothing is asked', async () => {
  const engine = await startFakeEngine((response, { url }) =>
    response.end(
      JSON.stringify(url.includes('/tasks') ? [] : (answers[url.replace(/^\/v1\.\d+/, '').replace(/\?.*/, '')] ?? {})),
    ),
  );
  const ask = createRegistryRequests({
    docker: engine.docker,
    platformId,
    settings,
    secretFor: (purpose) => `${purpose}-secret`,
  });
  expect(await ask('GET', '/v2/_catalog', new AbortController().signal)).toBeUndefined();
  expect(engine.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('images of unknown services are not taken for none where nobody could look, and not once it is aborted', async () => {
  const engine = await startFakeEngine((response, { url }) =>
    response.end(
      JSON.stringify(url.includes('/tasks') ? [] : (answers[url.replace(/^\/v1\.\d+/, '').replace(/\?.*/, '')] ?? {})),
    ),
  );
  const registry = createClusterRegistry({
    docker: engine.docker,
    platformId,
    settings,
    secretFor: (purpose) => `${purpose}-secret`,
    credentialsFor: () => undefined,
    now: () => 0,
  });
  expect(await registry.deleteUnknown(new Set(), new AbortController().signal)).toEqual({
    had: [],
    unasked: 'nothing forwards to it on the node of the engine',
  });
  await expect(registry.deleteUnknown(new Set(), AbortSignal.abort())).rejects.toThrow();
});
