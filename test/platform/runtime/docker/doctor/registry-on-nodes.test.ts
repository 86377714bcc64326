import { expect, test } from 'vitest';
import type { ExaminedEngine } from '../../../../../src/platform/runtime/docker/doctor/examined-engine.ts';
import { registryOnNodesFindings } from '../../../../../src/platform/runtime/docker/doctor/registry-on-nodes.ts';
import type { DoctorFinding } from '../../../../../src/platform/common/index.ts';
import { createManagersClient, type DockerNode } from '../../../../../src/platform/runtime/docker/api/index.ts';
import { notAllowed } from '../../../../../src/platform/runtime/docker/agent/program/allowed-requests.ts';
import { withoutAgents } from '../../../../../src/platform/runtime/docker/nodes/node-access.ts';
import { startFakeEngine } from '../fake-engine.ts';

/**
 * What is found of nodes one, two and so on whose engines say this of a registry; undefined for a node that is drained.
 */
async function reachOf(...said: readonly (string | undefined)[]): Promise<readonly DoctorFinding[]> {
  const names = ['one', 'two', 'three', 'four'].slice(0, said.length);
  const nodes = names.map((name, index) => ({
    ID: name,
    Description: { Hostname: name },
    Status: { State: 'ready' },
    Spec: { Availability: said[index] === undefined ? 'drain' : 'active', Role: 'manager' },
  }));
  const engines = await Promise.all(
    names.map((name, index) =>
      startFakeEngine(
        (response, { url }) => {
          if (url.includes('/distribution/'))
            return response
              .writeHead(said[index] === notAllowed ? 403 : 500)
              .end(JSON.stringify({ message: said[index] ?? 'connection refused' }));
          return response.end(
            JSON.stringify(
              url.includes('/nodes')
                ? nodes
                : {
                    Swarm: {
                      LocalNodeState: 'active',
                      ControlAvailable: true,
                      NodeID: name,
                      Managers: 1,
                      Cluster: { ID: 'ours' },
                    },
                  },
            ),
          );
        },
        { Os: 'linux' },
      ),
    ),
  );
  const examined = {
    nodes: withoutAgents(createManagersClient(engines.map(({ docker }) => docker)), 'no agent'),
    registry: 'registry.example:5000',
  } as ExaminedEngine;
  return registryOnNodesFindings(examined, nodes as unknown as DockerNode[]);
}

test('nodes are told apart by why they do not reach the registry; that it denies access shows that it is reached', async () => {
  expect(await reachOf('manifest unknown', 'pull access denied')).toMatchObject([
    { state: 'good', says: 'all 2 nodes that take services reach registry.example:5000' },
  ]);
  expect(
    await reachOf(
      'unauthorized: authentication required',
      'Get "https://registry.example:5000/v2/": x509: certificate signed by unknown authority',
      'http: server gave HTTP response to HTTPS client',
      'x509: certificate has expired',
    ),
  ).toMatchObject([
    {
      state: 'bad',
      says: expect.stringMatching(
        /^registry\.example:5000 is not reached from four \(x509: certificate has expired\), two \(Get .*unknown authority\)/,
      ),
      todo: expect.stringContaining('/etc/docker/certs.d/registry.example:5000/ca.crt'),
    },
    {
      state: 'bad',
      says: expect.stringContaining('from three ('),
      todo: expect.stringContaining('insecure-registries'),
    },
  ]);
});

test('a name that no node can look up is another failure than a connection that is refused', async () => {
  const refused = 'dial tcp 192.0.2.1:5000: connect: connection refused';
  expect(await reachOf('dial tcp: lookup registry.example: no such host', refused)).toMatchObject([
    {
      state: 'bad',
      says: expect.stringContaining('from one ('),
      todo: 'Make these machines resolve registry.example: in their DNS, or in /etc/hosts.',
    },
    {
      state: 'bad',
      says: expect.stringContaining(`from two (${refused})`),
      todo: expect.stringContaining('Let these machines connect to registry.example:5000: open its port'),
    },
  ]);
});

test('a drained node need not reach the registry, and an agent of an older version is not asked', async () => {
  expect(await reachOf('not found', 'not found', undefined)).toMatchObject([
    { state: 'good', says: expect.stringContaining('all 2 nodes') },
  ]);
  expect(await reachOf('not found')).toEqual([]);
  expect(await reachOf('not found', notAllowed)).toMatchObject([
    {
      state: 'note',
      says: 'whether registry.example:5000 can be reached is unknown for two (its agent is of an older version: the platform replaces it when it starts)',
    },
  ]);
});
