import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { RuntimeCall, Task, TaskInputs } from '../../../../src/platform/runtime/index.ts';
import { createCommitLists } from '../../../../src/platform/runtime/docker/builds/branch-commits.ts';
import { fetchSource } from '../../../../src/platform/runtime/docker/builds/fetch-source.ts';
import { credentialsForServiceImage } from '../../../../src/platform/runtime/docker/builds/image-reach.ts';
import { createBackgroundWork, type DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { beginPull, observePull } from '../../../../src/platform/runtime/docker/services/pull.ts';
import { eventually } from '../../../support/eventually.ts';
import { startGitServer } from '../../../support/git-server.ts';
import { contextWith, node, service, signal } from '../../conditions/fake-swarm.ts';
import { rejectionOf, startFakeEngine } from './fake-engine.ts';

const mine = { username: 'puller', password: 'only-the-registry-knows-it' };
const operators = { username: 'operator', password: 'of-the-operator', serveraddress: '' };
const linked = (url: string, credentials?: typeof mine): TaskInputs['registry'] => ({
  name: 'linked',
  kind: 'GENERIC_CR',
  url,
  ...(credentials && { credentials }),
});

const container = {
  deploymentId: 'd',
  beganAt: 0,
  service: { ...service, kind: 'container', spec: { image_name: 'team/web', tag: '1', registry_id: 'r' } },
} as unknown as Task;

/** How the pull from a registry ends, and the credentials that the engine was given for it. */
async function pulledFrom(registry: TaskInputs['registry'], isKnown = false) {
  const { docker, seen } = await startFakeEngine((response) => {
    response.statusCode = 404;
    response.end('{"message":"not there"}');
  });
  const clock = { now: () => 0 };
  const context = {
    docker: Object.assign(docker, { engine: async () => docker }),
    clock,
    work: createBackgroundWork(clock),
    credentialsFor: () => operators,
    isKnownRegistry: () => isKnown,
    databaseImages: {},
  } as unknown as DockerContext;
  const call = { inputs: async () => ({ variables: [], registry }), signal } as unknown as RuntimeCall;
  await beginPull(context, container, call);
  const ended = await eventually(async () => {
    const observation = await observePull(context, container, null, call);
    if (observation.outcome !== 'failed') throw new Error(`It is ${observation.outcome}.`);
    return observation;
  });
  const given = seen.map(({ headers }) => headers['x-registry-auth']);
  return {
    said: JSON.stringify(ended),
    given: given.map((header) => JSON.parse(Buffer.from(String(header), 'base64').toString()) as unknown),
  };
}

test('an image is pulled with the credentials of its registry, else with those of the operator', async () => {
  expect(await pulledFrom(linked('https://192.0.2.7', mine), true)).toMatchObject({
    given: [{ ...mine, serveraddress: '192.0.2.7' }],
  });
  expect(await pulledFrom(linked('https://192.0.2.7'), true)).toMatchObject({ given: [operators] });
});

test('a registry with a private address is used only if the operator named it', async () => {
  const { said, given } = await pulledFrom(linked('http://127.0.0.1:5000', mine));
  expect(said).toContain('has a private or reserved address (127.0.0.1)');
  expect(said).not.toContain(mine.password);
  expect(given).toEqual([]);
});

test('stored credentials are for images of their own registry only', () => {
  const access = { credentialsFor: () => operators };
  const credentials = (image: string) => credentialsForServiceImage(access, image, linked('https://a.example', mine));
  expect(credentials('a.example/team/web@sha256:1')).toEqual({ ...mine, serveraddress: 'a.example' });
  expect(credentials('b.example/team/web@sha256:1')).toEqual(operators);
});

test('source is fetched with the token that the service names, and with no other server’s', async () => {
  const server = await startGitServer();
  onTestFinished(() => server.close());
  server.commit('shop', 'First', { Dockerfile: 'FROM scratch\n', file: randomBytes(8) });
  const token = 'only-the-server-knows-it';
  server.require(token);
  const git = { [server.host]: { isPrivate: true, token: 'of-the-operator' } };
  const context = await contextWith(
    { '/info': { Swarm: { NodeID: 'a' } }, '/nodes': [node('a', 'ready')] },
    { builds: { git, sourceBytes: 2 ** 20 } },
  );
  const built = {
    ...service,
    kind: 'application',
    spec: { git_repository: { url: server.url('shop'), git_token_id: 't' }, dockerfile_path: 'Dockerfile' },
  } as unknown as Task['service'];
  const task = { deploymentId: 'd', service: built } as unknown as Task;
  const fetchWith = (gitToken?: TaskInputs['gitToken']) =>
    fetchSource(context, task, () => undefined, signal, gitToken);
  const named = { name: 'reader', host: server.host, token };

  expect(String(await rejectionOf(fetchWith()))).toContain('no longer exists');
  expect(String(await rejectionOf(fetchWith({ ...named, host: 'git.example' })))).toContain('is for git.example');
  expect([...server.authorizations]).toEqual([]);
  expect((await fetchWith(named)).commit.message).toBe('First');
  expect([...server.authorizations]).toEqual([`Basic ${Buffer.from(`git:${token}`).toString('base64')}`]);

  const commits = createCommitLists(context);
  expect(await commits(built, 5, signal, named)).toHaveLength(1);
  // What was read with a token isn't shown to whoever has another one.
  await rejectionOf(Promise.resolve(commits(built, 5, signal, { ...named, token: 'another' })));
});
