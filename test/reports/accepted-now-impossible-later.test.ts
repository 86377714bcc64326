import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceKind, OperationName } from '../../src/contract/index.ts';
import { configurationFault, type ServiceSpecs } from '../../src/platform/common/index.ts';
import { databaseFile } from '../../src/platform/store/index.ts';
import { validRequests } from '../platform/api/valid-requests.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;
let count = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = { ...platform.seed, organization_id: platform.organizationId };
});

afterAll(() => platform.close());

/** A valid request under a name of its own, without ports, changed. */
const request = (name: OperationName, change: Json = {}): Json => {
  const { ports: _, storage, ...rest } = validRequests(ids, `later_${(count += 1)}`)[name];
  return { ...rest, ...(typeof storage === 'number' && { storage }), ...change };
};

const git = (change: Json = {}) => ({ url: 'https://git.example.com/team/app.git', branch: 'main', ...change });
const chart = (change: Json) => ({
  source: { helm_repository: { repository: null, chart_name: 'web', chart_version: '1.0.0', ...change } },
});
const fromGit = (change: Json) => ({ source: { git_repository: git(change) } });
const volume = (mount_point: string) => ({ storage: [{ type: 'FAST_SSD', size: 10, mount_point }] });
const values = (file: Json) => ({ values_override: { file } });

const option = '--upload-pack=touch';

/** Members of requests that no deployment can use, with the operations that take them. */
const cases: readonly (readonly [operations: readonly OperationName[], change: Json, field: string])[] = [
  ...(
    [
      [{ dockerfile_path: '../../x' }, 'dockerfile_path'],
      [{ dockerfile_path: 'a/../../x' }, 'dockerfile_path'],
      [{ dockerfile_path: '/' }, 'dockerfile_path'],
      [{ dockerfile_path: 'x\ny' }, 'dockerfile_path'],
      [{ git_repository: git({ branch: option }) }, 'git_repository.branch'],
      [{ git_repository: git({ branch: 'a:b' }) }, 'git_repository.branch'],
      [{ git_repository: git({ root_path: '/../x' }) }, 'git_repository.root_path'],
      [volume('/'), 'storage.0.mount_point'],
      [volume('/data/../etc'), 'storage.0.mount_point'],
    ] as const
  ).map(([change, field]) => [['create_application', 'update_application'], change, field] as const),
  [['create_container', 'update_container'], volume('/a\0b'), 'storage.0.mount_point'],
  ...(
    [
      [{ docker: { git_repository: git({ branch: option }) } }, 'source.docker.git_repository.branch'],
      [{ docker: { git_repository: git({ root_path: '/a/../..' }) } }, 'source.docker.git_repository.root_path'],
      [{ docker: { git_repository: git(), dockerfile_path: '../x' } }, 'source.docker.dockerfile_path'],
      [
        { docker: { git_repository: git(), docker_target_build_stage: '--push' } },
        'source.docker.docker_target_build_stage',
      ],
    ] as const
  ).map(([source, field]) => [['create_job', 'update_job'], { source }, field] as const),
  ...(
    [
      [
        { terraform_files_source: { git: { git_repository: git({ branch: option }) } } },
        'terraform_files_source.git.git_repository.branch',
      ],
      [
        { terraform_files_source: { git: { git_repository: git({ root_path: '/..' }) } } },
        'terraform_files_source.git.git_repository.root_path',
      ],
      [{ terraform_variables_source: { tf_var_file_paths: ['a\rb'] } }, 'terraform_variables_source.tf_var_file_paths'],
    ] as const
  ).map(([change, field]) => [['create_terraform', 'update_terraform'], change, field] as const),
  ...(
    [
      [fromGit({ branch: option }), 'source.git_repository.branch'],
      [fromGit({ root_path: '/../x' }), 'source.git_repository.root_path'],
      [chart({ chart_name: '../../x' }), 'source.helm_repository.chart_name'],
      [chart({ chart_name: '--post-renderer=x' }), 'source.helm_repository.chart_name'],
      [chart({ chart_version: '--repo=x' }), 'source.helm_repository.chart_version'],
      [
        values({ git: { git_repository: git({ branch: option }), paths: ['/v.yaml'] } }),
        'values_override.file.git.git_repository.branch',
      ],
      [values({ git: { git_repository: git(), paths: ['/../v.yaml'] } }), 'values_override.file.git.paths'],
      [values({ raw: { values: [{ name: '../v.yaml', content: 'a: 1' }] } }), 'values_override.file.raw.values.0.name'],
    ] as const
  ).map(([change, field]) => [['update_helm'], change, field] as const),
  ...(['create_environment_variable', 'create_secret', 'create_variable', 'update_environment_variable'] as const).map(
    (operation) => [[operation], { mount_path: '/etc/../app' }, 'mount_path'] as const,
  ),
];

test.each(cases)('%j refuse %j and name %s', async (operations, change, field) => {
  for (const operation of operations) {
    const { status, body } = await platform.call(operation, request(operation, change));
    expect([operation, status, String(body['message']).split(': ')[0]]).toEqual([operation, 400, field]);
  }
});

test.each([
  { dockerfile_path: './docker/./Dockerfile' },
  { dockerfile_path: '/docker/Dockerfile' },
  { git_repository: git({ branch: 'release/2.x', root_path: '/web/' }) },
  volume('/var/lib/..data'),
])('%j can be used, and is accepted', async (change) => {
  expect(await platform.call('create_application', request('create_application', change))).toMatchObject({
    status: 201,
  });
});

test.each<[operation: OperationName, version: () => Json, field: string]>([
  ...['--x', 'a b', 'x\n', 'a'.repeat(129)].flatMap((image_tag): [OperationName, () => Json, string][] => [
    ['deploy_container', () => ({ image_tag }), 'image_tag'],
    ['deploy_services', () => ({ containers: [{ id: ids['container_id'], image_tag }] }), 'containers.image_tag'],
    ['deploy_services', () => ({ jobs: [{ id: ids['job_id'], image_tag }] }), 'jobs.image_tag'],
  ]),
  ['deploy_helm', () => ({ chart_version: '--repo=x' }), 'chart_version'],
  ['deploy_services', () => ({ helms: [{ id: ids['helm_id'], chart_version: '--x' }] }), 'helms.chart_version'],
  ...['--x', '../../x', 'a b'].flatMap((git_commit_id): [OperationName, () => Json, string][] => [
    ['deploy_application', () => ({ git_commit_id }), 'git_commit_id'],
    [
      'deploy_services',
      () => ({ terraforms: [{ id: ids['terraform_id'], git_commit_id }] }),
      'terraforms.0.git_commit_id',
    ],
  ]),
])('%s of a version that nothing can have is refused, and names its member (%#)', async (operation, version, field) => {
  const { status, body } = await platform.call(operation, { ...ids, ...version() });
  expect([status, String(body['message']).split(': ')[0]]).toEqual([400, field]);
});

test('a service that was accepted before is not copied, and the refusal names it', async () => {
  const environment = await platform.must('create_environment', request('create_environment'));
  const { id } = await platform.must('create_application', {
    ...request('create_application', { name: 'old' }),
    environment_id: environment['id'],
  });
  const records = new DatabaseSync(join(platform.dataDir, databaseFile));
  records
    .prepare(`UPDATE service SET spec = json_set(spec, '$.dockerfile_path', '../../x') WHERE id = ?`)
    .run(String(id));
  records.close();
  const copy = { environment_id: environment['id'], name: 'copy' };
  const { status, body } = await platform.call('clone_environment', copy);
  expect([status, body['message']]).toEqual([400, expect.stringMatching(/application old .*dockerfile_path/)]);
  await platform.must('update_application', { ...request('update_application', { name: 'new' }), application_id: id });
  expect(await platform.call('clone_environment', copy)).toMatchObject({ status: 201 });
});

test('everything that the platform starts with can be used', async () => {
  const dump = platform.dump()['service'] as { kind: ServiceKind; name: string; spec: string }[];
  expect(dump.length).toBeGreaterThan(5);
  const faults = dump.map(({ kind, name, spec }) => [
    name,
    configurationFault(kind, JSON.parse(spec) as ServiceSpecs[ServiceKind]),
  ]);
  expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([]);
});
