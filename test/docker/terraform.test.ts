import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Condition } from '../../src/contract/index.ts';
import {
  createDockerVolume,
  deleteDockerVolume,
  listDockerConfigs,
  listDockerContainers,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
} from '../../src/platform/runtime/docker/api/index.ts';
import { conditionsIn, dataWith } from '../support/conditions.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { prepareSpawnedPlatform } from '../support/docker/spawned-platform.ts';
import { buildTestImage } from '../support/docker/test-images.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { type Json, rowsOf } from '../support/test-platform.ts';
import { seenAtLast } from '../support/eventually.ts';

let git: GitServer;
let docker: DockerPlatform;

beforeAll(async () => {
  git = await startGitServer();
  docker = await startDockerPlatform({
    builds: { git: { [git.host]: { isPrivate: true } } },
    terraform: { image: 'infra-mcp-test/terraform:1' },
  });
  await buildTestImage(docker.engine.docker, 'terraform');
});
afterAll(async () => {
  await docker?.end();
  await git?.close();
});

/** The configuration of notes: the resources of the stand-in. */
const notes = (texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts)
    .map(([name, text]) => `resource "note" "${name}" { text = "${text}" }\n`)
    .join('');

const bodyOf = (repository: string, more: Json = {}, root = '/'): Json => ({
  name: repository,
  terraform_files_source: { git: { git_repository: { url: git.url(repository), root_path: root } } },
  cpu: 100,
  memory: 64,
  timeout_sec: 60,
  ...more,
});

const create = async (repository: string, more: Json = {}, root = '/'): Promise<string> =>
  String(
    (
      await docker.platform.must('create_terraform', {
        environment_id: docker.environmentId,
        ...bodyOf(repository, more, root),
      })
    )['id'],
  );

const newest = async (id: string): Promise<Json> =>
  rowsOf(await docker.platform.must('list_terraform_plans', { terraform_id: id }))[0]!;

async function plan(id: string, more: Json = {}): Promise<Json> {
  await docker.platform.must('plan_terraform', { terraform_id: id, ...more });
  return seenAtLast(
    () => newest(id),
    (row) => row['ended_at'] !== undefined,
  );
}

/** Waits until nothing is done to it any more. @returns its state; undefined if it is gone */
async function settled(id: string, ends = /^(?:DEPLOYED|STOPPED|CANCELED|.*_ERROR)$/): Promise<unknown> {
  const { status, body } = await seenAtLast(
    () => docker.platform.call('get_terraform_status', { terraform_id: id }),
    (seen) => seen.status === 404 || ends.test(String(seen.body['state'])),
  );
  return status === 404 ? undefined : body['state'];
}

async function apply(id: string): Promise<unknown> {
  await docker.platform.must('redeploy_terraform', { terraform_id: id });
  return settled(id);
}

async function remove(id: string): Promise<unknown> {
  await docker.platform.must('delete_terraform', { terraform_id: id });
  return settled(id, /^DELETE_ERROR$/);
}

const lines = async (id: string): Promise<Json[]> =>
  rowsOf(await docker.platform.must('get_terraform_logs', { terraform_id: id }));
const messages = async (id: string): Promise<string[]> => (await lines(id)).map(({ message }) => String(message));
/** The last condition that its log tells. */
const lastCondition = async (id: string): Promise<Condition | undefined> => conditionsIn(await lines(id)).at(-1);
const stoppedWith = (code: number) => ({
  reason: 'RUN_FAILED',
  details: { cause: { reason: 'TERRAFORM_STOPPED', details: { code } } },
});

/** What the engine has of a service. */
async function made(id: string) {
  const client = docker.engine.docker;
  const filters = { label: [`io.infra-mcp.service=${id}`] };
  const [services, containers, secrets, configs, volumes] = await Promise.all([
    listDockerServices(client, filters),
    listDockerContainers(client, filters),
    listDockerSecrets(client, filters),
    listDockerConfigs(client, filters),
    listDockerVolumes(client, filters),
  ]);
  return { services, containers, secrets, configs, volumes };
}

/** A file in the volume of a service: the engine is on this machine. */
const inVolume = async (id: string, path: string): Promise<string> =>
  join((await made(id)).volumes[0]!.Mountpoint, path);
const stateOf = async (id: string): Promise<string> =>
  readFileSync(await inVolume(id, 'work/terraform.tfstate'), 'utf8');

test('a deployment applies exactly the plan that was shown, once, and no secret shows anywhere', async () => {
  const planned = git.commit('shop', 'notes', { 'main.tf': notes({ a: 'hello', b: 'var.key' }) });
  const id = await create('shop');
  await docker.platform.must('create_variable', {
    key: 'TF_VAR_key',
    value: 'never-to-be-seen',
    is_secret: true,
    variable_scope: 'TERRAFORM',
    variable_parent_id: id,
  });
  const without = await docker.platform.call('redeploy_terraform', { terraform_id: id });
  expect([without.status, without.text]).toEqual([400, expect.stringContaining('no plan of it was made')]);

  const shown = await plan(id);
  expect(shown, (await messages(id)).join('\n')).toMatchObject({
    status: 'SUCCESS',
    to_add: 2,
    to_change: 0,
    to_destroy: 0,
    is_shortened: false,
    commit: { git_commit_id: planned },
  });
  expect(shown['obstacle']).toBeUndefined();
  expect(shown['text']).toMatch(
    /^ *# note\.a will be add\n.*hello\n.*note\.b.*\n.*\(sensitive value\)\nPlan: 2 to add/,
  );
  expect((await docker.platform.must('get_terraform_status', { terraform_id: id }))['state']).toBe('READY');
  expect(rowsOf(await docker.platform.must('list_terraform_deployments', { terraform_id: id }))).toEqual([]);

  // What comes after the plan is not applied by it.
  git.commit('shop', 'more', { 'main.tf': notes({ a: 'hello', b: 'var.key', c: 'later' }) });
  expect(await apply(id)).toBe('DEPLOYED');
  expect(await stateOf(id)).toBe('2\na plain hello\nb sensitive never-to-be-seen\n');
  expect((await docker.platform.must('get_terraform', { terraform_id: id }))['terraform_files_source']).toMatchObject({
    git: { git_repository: { deployed_commit_id: planned } },
  });
  const again = await docker.platform.call('redeploy_terraform', { terraform_id: id });
  expect([again.status, again.text]).toEqual([
    400,
    expect.stringMatching(/was taken by the deployment .*, and can be applied once/),
  ]);

  expect(await plan(id)).toMatchObject({ to_add: 1, to_change: 0, to_destroy: 0 });
  expect(JSON.stringify([await messages(id), docker.platform.dump()])).not.toContain('never-to-be-seen');
  const { services, containers, secrets, volumes } = await made(id);
  expect([services, secrets]).toEqual([[], []]);
  expect(JSON.stringify(containers)).not.toContain('never-to-be-seen');
  expect(volumes).toHaveLength(1);
});

test('no plan is made of a commit that only another branch has', async () => {
  const merged = git.commit('forked', 'notes', { 'main.tf': notes({ a: 'hello' }) });
  const id = await create('forked');
  const proposed = git.commit('forked', 'proposed', { 'main.tf': notes({ a: 'taken over' }) }, 'proposal');
  const { status, reason, commit } = await plan(id, { git_commit_id: proposed });
  const told = await lastCondition(id);
  expect([status, reason, commit]).toEqual(['ERROR', told?.message, undefined]);
  expect(told).toMatchObject({ reason: 'COMMIT_NOT_IN_HISTORY', details: { commit: proposed, branch: 'main' } });
  expect(await plan(id, { git_commit_id: merged })).toMatchObject({
    status: 'SUCCESS',
    commit: { git_commit_id: merged },
  });
});

test('files of variables and another folder are used, and its modules; the folder of a state is not changed', async () => {
  git.commit('folders', 'staging', {
    'staging/main.tf': notes({ a: 'var.size' }),
    'staging/small.tfvars': 'size = "small"\n',
    'modules/x/main.tf': '',
  });
  const source = { terraform_variables_source: { tf_var_file_paths: ['small.tfvars'] } };
  const id = await create('folders', source, '/staging');
  expect(await plan(id)).toMatchObject({ status: 'SUCCESS', to_add: 1 });
  await docker.platform.must('update_terraform', {
    terraform_id: id,
    ...bodyOf('folders', { ...source, timeout_sec: 50 }, '/staging'),
  });
  expect((await docker.platform.call('redeploy_terraform', { terraform_id: id })).text).toContain(
    'its configuration was changed after the newest plan',
  );
  await plan(id);
  expect(await apply(id)).toBe('DEPLOYED');
  expect(readFileSync(await inVolume(id, 'work/staging/terraform.tfstate'), 'utf8')).toBe('1\na sensitive small\n');
  await docker.platform.must('update_terraform', { terraform_id: id, ...bodyOf('folders', {}, '/modules/x') });
  expect(await plan(id)).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('"root_path"') as unknown });
  expect(await lastCondition(id)).toMatchObject(stoppedWith(87));
});

test.each([
  ['provider', { 'main.tf': 'provider "missing" {}\n' }, stoppedWith(81)],
  ['configuration', { 'main.tf': notes({ invalid: 'x' }) }, stoppedWith(82)],
  ['lock', { 'main.tf': notes({ a: 'x' }), 'backend.locked': '' }, stoppedWith(84)],
  ['folder', { 'other.txt': '' }, { reason: 'FOLDER_NOT_FOUND', details: { path: 'nowhere' } }],
])('what is wrong with a %s is told, and nothing was changed', async (name, files, why) => {
  git.commit(`wrong-${name}`, 'first', files);
  const id = await create(`wrong-${name}`, {}, name === 'folder' ? '/nowhere' : '/');
  const { status, reason, obstacle } = await plan(id);
  const told = await lastCondition(id);
  expect(told).toMatchObject(why);
  expect([status, reason, obstacle]).toEqual(['ERROR', told!.message, expect.stringContaining('failed')]);
  if (name === 'lock') expect((await messages(id)).join('\n')).toMatch(/Who: +ada@laptop[^]*Created: +2026-11-23/);
  expect(await remove(id)).toBeUndefined();
});

test('a plan is applied with the variables that it was made with, or not at all', async () => {
  git.commit('account', 'notes', { 'main.tf': notes({ a: 'hello' }) });
  const id = await create('account');
  const own = { variable_scope: 'TERRAFORM', variable_parent_id: id };
  expect(await plan(id)).toMatchObject({ status: 'SUCCESS', to_add: 1 });
  await docker.platform.must('create_variable', {
    key: 'CLOUD_ACCOUNT',
    value: 'production',
    is_secret: false,
    ...own,
  });
  expect(await apply(id)).toBe('DEPLOYMENT_ERROR');
  expect((await messages(id)).at(-1)).toContain('Its variables were changed after the plan was made');
  await expect(stateOf(id)).rejects.toThrow('ENOENT');
  await plan(id);
  await docker.platform.must('create_variable', {
    key: 'TF_CLI_CONFIG_FILE',
    value: 'x',
    is_secret: true,
    mount_path: '/terraformrc',
    ...own,
  });
  expect(await apply(id)).toBe('DEPLOYMENT_ERROR');
  await plan(id);
  expect(await apply(id)).toBe('DEPLOYED');
  expect(await stateOf(id)).toBe('1\na plain hello\n');
});

test('a plan that is older than the state is refused, and one that fails halfway is gone on with', async () => {
  git.commit('halfway', 'notes', { 'main.tf': notes({ a: 'one', b: 'impossible', c: 'three' }) });
  const id = await create('halfway');
  await plan(id);
  expect(await apply(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject(stoppedWith(83));
  expect(await stateOf(id)).toBe('1\na plain one\n');
  git.commit('halfway', 'mended', { 'main.tf': notes({ a: 'one', b: 'two', c: 'three' }) });
  expect(await plan(id)).toMatchObject({ to_add: 2 });
  writeFileSync(await inVolume(id, 'work/terraform.tfstate'), '7\na plain one\n');
  expect(await apply(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject(stoppedWith(89));
  expect(await plan(id)).toMatchObject({ to_add: 2 });
  expect(await apply(id)).toBe('DEPLOYED');
});

test('a run that takes too long and one that is canceled end, and keep what was made', async () => {
  git.commit('slow', 'notes', { 'main.tf': notes({ a: 'one', b: 'slow-60' }) });
  const id = await create('slow', { timeout_sec: 20 });
  expect(await plan(id)).toMatchObject({ to_add: 2 });
  expect(await apply(id)).toBe('DEPLOYMENT_ERROR');
  expect(await lastCondition(id)).toMatchObject({
    reason: 'TIME_LIMIT_EXCEEDED',
    details: { seconds: 20, member: 'timeout_sec' },
  });
  await docker.platform.must('update_terraform', { terraform_id: id, ...bodyOf('slow') });
  expect(await plan(id)).toMatchObject({ to_add: 1 });
  await docker.platform.must('redeploy_terraform', { terraform_id: id });
  const ofTheRun = async () => {
    const said = await messages(id);
    return said.slice(said.findLastIndex((line) => line.startsWith('Planned:')));
  };
  await expect.poll(ofTheRun).toContain('note.b: add...');
  await docker.platform.must('cancel_deployment', { environment_id: docker.environmentId });
  expect(await settled(id)).toBe('CANCELED');
  await expect.poll(async () => (await made(id)).services).toEqual([]);
  expect(await stateOf(id)).toBe('1\na plain one\n');

  // What can't be destroyed keeps its state, and is deleted once it can.
  git.commit('slow', 'lock', { 'main.tf': notes({}), 'backend.locked': '' });
  expect(await plan(id)).toMatchObject({ status: 'ERROR' });
  expect(await remove(id)).toBe('DELETE_ERROR');
  expect(await lastCondition(id)).toMatchObject(stoppedWith(84));
  expect(await stateOf(id)).toBe('1\na plain one\n');
  git.commit('slow', 'unlock', { 'backend.locked': null });
  await plan(id);
  expect(await remove(id)).toBeUndefined();
});

test('in a swarm that was created again its state is found, and nothing is planned without it', async () => {
  git.commit('recreated', 'notes', { 'main.tf': notes({ a: 'one' }) });
  const id = await create('recreated');
  expect(await plan(id), (await messages(id)).join('\n')).toMatchObject({ status: 'SUCCESS', to_add: 1 });
  expect(await apply(id)).toBe('DEPLOYED');
  await docker.engine.renewSwarm();
  expect(await plan(id), (await messages(id)).join('\n')).toMatchObject({
    status: 'SUCCESS',
    to_add: 0,
    to_change: 0,
    to_destroy: 0,
  });
  await docker.engine.renewSwarm();
  const { Name, Labels } = (await made(id)).volumes[0]!;
  await expect
    .poll(() =>
      deleteDockerVolume(docker.engine.docker, Name).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await plan(id)).toMatchObject({ status: 'ERROR' });
  const told = dataWith(conditionsIn(await lines(id)), 'STORAGE_NOT_FOUND');
  expect(told).toMatchObject([{ service: 'recreated', volumes: [expect.any(String)], asked: [expect.any(String)] }]);
  expect(told[0]).not.toHaveProperty('node');
  expect((await made(id)).volumes).toEqual([]);
  await createDockerVolume(docker.engine.docker, Name, Labels ?? {});
  expect(await plan(id)).toMatchObject({ status: 'SUCCESS', to_add: 1 });
});

test('a run goes on when the platform is killed, and is applied once; a stop changes nothing, and a deletion destroys', async () => {
  git.commit('killed', 'notes', { 'main.tf': notes({ a: 'one', b: 'slow-3' }) });
  await docker.publish('terraform', '1');
  const platform = await prepareSpawnedPlatform(docker, {
    clusters: { local: { engine: docker.engine.address, terraform: { image: `${docker.registry.host}/terraform:1` } } },
    git: { [git.host]: { private: true } },
  });
  onTestFinished(() => platform.end());
  await platform.start();
  const { environmentId } = await platform.createEnvironment();
  const { id } = await platform.call('POST', `/environment/${environmentId}/terraform`, bodyOf('killed'));
  const said = async () => (await platform.rows(`/terraform/${String(id)}/log`)).map(({ message }) => String(message));
  const state = async () => (await platform.call('GET', `/terraform/${String(id)}/status`))['state'];
  const within = { timeout: 240_000, interval: 200 };
  await platform.call('POST', `/terraform/${String(id)}/plan`, {});
  await platform.kill();
  await platform.start();
  await expect
    .poll(async () => (await platform.rows(`/terraform/${String(id)}/plan`))[0], within)
    .toMatchObject({ status: 'SUCCESS', to_add: 2 });
  await platform.call('POST', `/terraform/${String(id)}/redeploy`);
  await expect.poll(said, within).toContain('note.b: add...');
  await platform.kill();
  await platform.start();
  await expect.poll(state, within).toBe('DEPLOYED');
  expect((await said()).filter((message) => /^note|^Apply/.test(message))).toEqual([
    'note.a: add...',
    'note.b: add...',
    'Apply complete! Serial 2.',
  ]);
  const kept = '2\na plain one\nb plain slow-3\n';
  expect(await stateOf(String(id))).toBe(kept);
  await platform.call('POST', `/environment/${environmentId}/service/stop`, { terraform_ids: [id] });
  await expect.poll(state, within).toBe('STOPPED');
  expect(await stateOf(String(id))).toBe(kept);
  await platform.call('DELETE', `/terraform/${String(id)}`);
  await expect.poll(async () => (await platform.rows(`/environment/${environmentId}/services`)).length, within).toBe(0);
  expect(Object.values(await made(String(id))).flat()).toEqual([]);
});

test('what nothing was planned for is deleted without Terraform', async () => {
  git.commit('unused', 'first', { 'main.tf': '' });
  expect(await remove(await create('unused'))).toBeUndefined();
});
