import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maximumInstances, type OperationName } from '../../../src/contract/index.ts';
import {
  type Json,
  type TestPlatform,
  unknownId,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
} from '../../support/test-platform.ts';
import { validRequests } from './valid-requests.ts';

let platform: TestPlatform;
let ids: Readonly<Record<string, string>>;
let count = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
  ids = { ...platform.seed, organization_id: platform.organizationId };
});

afterAll(() => platform.close());

/** A valid request under a name of its own, without ports and volumes, changed. */
const request = (name: OperationName, change: Json = {}): Json => {
  const { ports: _, storage, ...rest } = validRequests(ids, `${(count += 1)}`)[name];
  return { ...rest, ...(typeof storage === 'number' && { storage }), ...change };
};
const send = (name: OperationName, change: Json) => platform.call(name, request(name, change));

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

const repository = (branch: string) => ({ git_repository: { url: 'https://git.example.com/team/app.git', branch } });

describe('a branch with characters that nobody sees', () => {
  test.each(['main\u202E', 'x\u200By', 'ma\u00ADin', 'main\n', 'a\u0007'])(
    'is refused for every kind: %j',
    async (branch) => {
      expectRefusal(
        await send('create_application', repository(branch)),
        /git_repository\.branch: must not have control characters/,
      );
      expectRefusal(
        await send('create_job', { source: { docker: repository(branch) } }),
        /git_repository\.branch: must not/,
      );
      expectRefusal(
        await send('create_terraform', { terraform_files_source: { git: repository(branch) } }),
        /git_repository\.branch: must not/,
      );
      expectRefusal(await send('update_helm', { source: repository(branch) }), /git_repository\.branch: must not/);
    },
  );

  test('is told from one with letters of any script', async () => {
    expect(await send('create_application', repository('機能/größe'))).toMatchObject({ status: 201 });
  });
});

describe('names', () => {
  test('of projects are unique in the organization, whatever the case', async () => {
    await platform.must('create_project', { organization_id: ids['organization_id'], name: 'Twice' });
    expectRefusal(
      await platform.call('create_project', { organization_id: ids['organization_id'], name: 'tWICE' }),
      /^name: .*"Twice"/,
    );
  });

  test('of environments are unique in their project', async () => {
    const environment = { cluster_id: ids['cluster_id'], mode: 'DEVELOPMENT' };
    const other = await platform.must('create_project', request('create_project'));
    await platform.must('create_environment', { ...environment, project_id: ids['project_id'], name: 'Preview' });
    expectRefusal(
      await platform.call('create_environment', { ...environment, project_id: ids['project_id'], name: 'preview' }),
      /^name: /,
    );
    expect(
      (await platform.call('create_environment', { ...environment, project_id: other['id'], name: 'preview' })).status,
    ).toBe(201);
  });

  test('of services are unique in their environment, of whatever kind', async () => {
    await platform.must('create_application', request('create_application', { name: 'Basket' }));
    expectRefusal(await send('create_database', { name: 'basket' }), /^name: .*"Basket"/);
    expectRefusal(await send('update_container', { name: 'BASKET' }), /^name: /);
    for (const name of [
      'update_helm',
      'update_application',
      'update_database',
      'update_job',
      'create_container',
      'create_job',
    ] as const)
      expectRefusal(await send(name, { name: 'BASKET' }), /^name: /);
  });

  test('may change only in case', async () => {
    await platform.must('update_container', request('update_container', { name: 'Renamed' }));
    expect((await send('update_container', { name: 'RENAMED' })).body).toMatchObject({ name: 'RENAMED' });
  });

  test.each(['', ' padded', 'line\nbreak', 'x'.repeat(256)])('"%s" is no name', async (name) => {
    expectRefusal(await send('create_database', { name }), /^name: /);
  });
});

describe('resources', () => {
  const maximum = { cpu: 'maximum_cpu', memory: 'maximum_memory', gpu: 'maximum_gpu' } as const;
  const cases = (
    [
      'create_application',
      'update_application',
      'create_container',
      'update_container',
      'create_job',
      'update_job',
    ] as const
  ).flatMap((name) => (['cpu', 'memory', 'gpu'] as const).map((member) => ({ name, member })));

  test.each(cases)("$name: $member reaches the cluster's maximum and no further", async ({ name, member }) => {
    const { body } = await platform.call('get_container', { container_id: ids['container_id'] });
    const most = body[maximum[member]] as number;
    expect((await send(name, { [member]: most })).body).toMatchObject({
      [member]: most,
      ...(!name.endsWith('_job') && { [maximum[member]]: most }),
    });
    expectRefusal(await send(name, { [member]: most + 1 }), new RegExp(`^${member}: ${most + 1} .*maximum of ${most}`));
  });

  test('of a database are bounded too', async () => {
    expectRefusal(await send('update_database', { memory: 10_000_000 }), /^memory: /);
    expectRefusal(await send('create_database', { memory: 10_000_000 }), /^memory: /);
  });

  test('have the defaults of the document', async () => {
    const { name, registry_id, image_name, tag, healthchecks, container_id } = request('update_container');
    expect(
      (await platform.call('update_container', { name, registry_id, image_name, tag, healthchecks, container_id }))
        .body,
    ).toMatchObject({
      cpu: 500,
      memory: 512,
      gpu: 0,
      min_running_instances: 1,
      max_running_instances: 1,
      ports: [],
      storage: [],
      auto_preview: false,
      labels_groups: [],
      annotations_groups: [],
    });
  });

  test('instances: the minimum is not above the maximum, which may be unlimited', async () => {
    expectRefusal(
      await send('create_application', { min_running_instances: 4, max_running_instances: 3 }),
      /^min_running_instances: 4/,
    );
    expect((await send('create_application', { min_running_instances: 40, max_running_instances: -1 })).status).toBe(
      201,
    );
    expect((await send('create_application', { min_running_instances: 0, max_running_instances: 1 })).status).toBe(201);
    expectRefusal(await send('create_application', { max_running_instances: 0 }), /^max_running_instances: /);
    expectRefusal(await send('create_application', { min_running_instances: -1 }), /^min_running_instances: /);
  });

  test('instances: there is a most', async () => {
    const most = { min_running_instances: maximumInstances, max_running_instances: maximumInstances };
    expect((await send('create_application', most)).status).toBe(201);
    for (const operation of ['create_application', 'update_container'] as const) {
      for (const member of Object.keys(most))
        expectRefusal(await send(operation, { ...most, [member]: maximumInstances + 1 }), new RegExp(`^${member}: `));
    }
    expectRefusal(await send('create_job', { max_nb_restart: maximumInstances + 1 }), /^max_nb_restart: /);
  });
});

const probe = (type: Json) => ({ healthchecks: { readiness_probe: { type } } });

describe('probes', () => {
  test.each([{}, { tcp: { port: 80 }, http: { port: 80 } }])('%j has not exactly one kind', async (type) => {
    expectRefusal(
      await send('update_container', probe(type)),
      /^healthchecks\.readiness_probe\.type: must have exactly one/,
    );
  });

  test.each([
    { tcp: { port: 80, host: null } },
    { http: { port: 80 } },
    { exec: { command: ['true'] } },
    { grpc: { port: 80, service: null } },
  ])('%j is fine, with the defaults', async (type) => {
    const { body } = await send('update_container', probe(type));
    expect(body).toMatchObject({
      healthchecks: {
        readiness_probe: {
          type,
          initial_delay_seconds: 30,
          period_seconds: 10,
          timeout_seconds: 5,
          success_threshold: 1,
          failure_threshold: 9,
        },
      },
    });
  });

  test('http asks for / over HTTP by default', async () => {
    const { body } = await send('update_container', probe({ http: { port: 80 } }));
    expect(body).toMatchObject({
      healthchecks: { readiness_probe: { type: { http: { path: '/', scheme: 'HTTP' } } } },
    });
  });
});

describe('ports and storage', () => {
  const collisions: [string, Json, RegExp][] = [
    [
      'an internal port',
      { ports: [{ internal_port: 80 }, { internal_port: 81 }, { internal_port: 80 }] },
      /^ports\.2\.internal_port: collides with ports\.0/,
    ],
    [
      'an external port',
      {
        ports: [
          { internal_port: 80, external_port: 443 },
          { internal_port: 81, external_port: 443 },
        ],
      },
      /^ports\.1\.external_port: /,
    ],
    [
      'a name',
      {
        ports: [
          { internal_port: 80, name: 'web' },
          { internal_port: 81, name: 'web' },
        ],
      },
      /^ports\.1\.name: /,
    ],
    [
      'being the default',
      {
        ports: [
          { internal_port: 80, is_default: true },
          { internal_port: 81, is_default: true },
        ],
      },
      /^ports\.1\.is_default: /,
    ],
    [
      'a mount point',
      {
        storage: [
          { type: 'FAST_SSD', size: 1, mount_point: '/a' },
          { type: 'FAST_SSD', size: 1, mount_point: '/a' },
        ],
      },
      /^storage\.1\.mount_point: /,
    ],
  ];

  test.each(collisions)('two that share %s are refused', async (_, change, message) => {
    expectRefusal(await send('update_container', change), message);
    expectRefusal(await send('create_application', change), message);
  });

  test('TCP and UDP can share a number', async () => {
    expect(
      (
        await send('create_application', {
          ports: [
            { internal_port: 53, protocol: 'TCP' },
            { internal_port: 53, protocol: 'UDP' },
          ],
        })
      ).status,
    ).toBe(201);
  });

  test('a PUT creates what has no id, updates what has one, removes what is not sent', async () => {
    const first = await platform.must(
      'update_container',
      request('update_container', {
        ports: [
          { internal_port: 80, name: 'a' },
          { internal_port: 81, name: 'b' },
        ],
        storage: [{ type: 'FAST_SSD', size: 1, mount_point: '/a' }],
      }),
    );
    const [a] = first['ports'] as Json[];
    const [volume] = first['storage'] as Json[];
    const second = await platform.must(
      'update_container',
      request('update_container', {
        ports: [
          { internal_port: 82, name: 'c' },
          { id: a!['id'], internal_port: 8080, name: 'a' },
        ],
        storage: [{ ...volume, size: 5 }],
      }),
    );
    const [created, updated, ...rest] = second['ports'] as Json[];
    expect(rest).toEqual([]);
    expect(updated).toMatchObject({ id: a!['id'], internal_port: 8080 });
    expect((first['ports'] as Json[]).map(({ id }) => id)).not.toContain(created!['id']);
    expect(second['storage']).toEqual([{ ...volume, size: 5 }]);
    expect((await platform.must('get_container', { container_id: ids['container_id'] }))['ports']).toEqual(
      second['ports'],
    );
  });

  test('an id that the service does not have is refused, as is one given twice', async () => {
    expectRefusal(
      await send('update_container', { ports: [{ id: unknownId, internal_port: 80 }] }),
      /^ports\.0\.id: .*00000000/,
    );
    expectRefusal(
      await send('create_application', { storage: [{ id: unknownId, type: 'FAST_SSD', size: 1, mount_point: '/a' }] }),
      /^storage\.0\.id: /,
    );
    const { ports } = await platform.must(
      'update_container',
      request('update_container', { ports: [{ internal_port: 80 }] }),
    );
    const [port] = ports as Json[];
    expectRefusal(
      await send('update_container', { ports: [port, { ...port, internal_port: 81, name: 'other' }] }),
      /^ports\.1\.id: /,
    );
  });
});

describe('references', () => {
  const unknown: [OperationName, Json, RegExp][] = [
    ['create_environment', { cluster_id: unknownId }, /^cluster_id: /],
    ['update_container', { registry_id: unknownId }, /^registry_id: /],
    ['update_container', { labels_groups: [{ id: unknownId }] }, /^labels_groups: /],
    ['create_application', { annotations_groups: [{ id: unknownId }] }, /^annotations_groups: /],
    [
      'update_helm',
      { source: { helm_repository: { repository: unknownId, chart_name: 'a', chart_version: '1' } } },
      /^source\.helm_repository\.repository: /,
    ],
    ['update_alert_rule', { alert_receiver_ids: [unknownId] }, /^alert_receiver_ids: /],
    ['invite_member', { role_id: unknownId }, /^role_id: /],
  ];

  test.each(unknown)(
    '%s with %j: an id that nothing has is a 400 that names member and id',
    async (name, change, message) => {
      const reply = await send(name, change);
      expectRefusal(reply, message);
      expect(reply.body['message']).toContain(unknownId);
    },
  );
});

const registryOf = async (kind: string) => {
  const registries = rowsOf(
    await platform.must('list_container_registries', { organization_id: ids['organization_id'] }),
  );
  return registries.find((row) => row['kind'] === kind)!['id'];
};

describe('image names', () => {
  const names: [string, string, boolean][] = [
    ['GENERIC_CR', 'team/app', true],
    ['GENERIC_CR', 'app', true],
    ['GENERIC_CR', 'Team/App', false],
    ['GENERIC_CR', 'team/app:1.0', false],
    ['GENERIC_CR', 'not an image', false],
    ['GENERIC_CR', '/app', false],
    ['ECR', 'app', true],
    ['ECR', 'App', false],
    ['PUBLIC_ECR', 'alias/app', true],
    ['PUBLIC_ECR', 'app', false],
    ['DOCKER_HUB', 'app', true],
    ['DOCKER_HUB', 'team/app', true],
    ['DOCKER_HUB', 'a/b/c', false],
  ];

  test.each(names)('%s takes %s: %s', async (kind, image, fits) => {
    const reply = await send('update_container', { registry_id: await registryOf(kind), image_name: image });
    if (fits) expect(reply.body).toMatchObject({ image_name: image, registry: { kind } });
    else expectRefusal(reply, /^image_name: /);
  });

  test.each(['', '-1', 'a b', 'x'.repeat(129)])('"%s" is no tag', async (tag) => {
    expectRefusal(await send('update_container', { tag }), /^tag: /);
  });
});

describe('an application', () => {
  test('answers with its repository as it was understood', async () => {
    const { body } = await send('create_application', {
      git_repository: { url: 'git@git.example.com:team/checkout.git' },
    });
    expect(body).toMatchObject({
      service_type: 'APPLICATION',
      environment: { id: ids['environment_id'] },
      build_mode: 'DOCKER',
      git_repository: {
        url: 'git@git.example.com:team/checkout.git',
        owner: 'team',
        name: 'checkout',
        branch: 'main',
        root_path: '/',
        has_access: true,
      },
    });
    expect(await platform.must('get_application', { application_id: body['id'] })).toEqual(body);
  });

  test.each([
    ['https://git.example.com:8443/team/checkout.git', { name: 'checkout', owner: 'team' }],
    ['ssh://git@git.example.com:2222/team/checkout', { name: 'checkout', owner: 'team' }],
    ['http://127.0.0.1:45245/checkout.git', { name: 'checkout' }],
    ['git@git.example.com:checkout.git', { name: 'checkout' }],
    ['https://git.example.com/checkout', { name: 'checkout' }],
  ])('of %s has no owner that is a port or a host', async (url, names) => {
    const { name, owner } = (await send('create_application', { git_repository: { url } })).body[
      'git_repository'
    ] as Json;
    expect({ name, ...(owner !== undefined && { owner }) }).toEqual(names);
  });

  test('shows its groups in full', async () => {
    const { body } = await send('create_application', {});
    expect(body['labels_groups']).toMatchObject([
      {
        id: ids['labels_group_id'],
        labels: expect.arrayContaining([expect.objectContaining({ propagate_to_cloud_provider: true })]),
      },
    ]);
    expect(body['annotations_groups']).toMatchObject([
      { id: ids['annotations_group_id'], scopes: expect.arrayContaining(['DEPLOYMENTS']) },
    ]);
  });

  test.each(['not a url', 'ftp://git.example.com/a', 'https://git.example.com'])(
    '"%s" is no git address',
    async (url) => {
      expectRefusal(await send('create_application', { git_repository: { url } }), /^git_repository\.url: /);
    },
  );

  const odd = String.raw`https://8.8.8.8\@127.0.0.1:8443/team/app.git`;
  test.each<[OperationName, Json, RegExp]>([
    ['create_application', { git_repository: { url: odd } }, /^git_repository\.url: must not hold backslashes/],
    ['update_application', { git_repository: { url: odd } }, /^git_repository\.url: /],
    ['create_job', { source: { docker: { git_repository: { url: odd } } } }, /^source\.docker\.git_repository\.url: /],
    [
      'create_terraform',
      { terraform_files_source: { git: { git_repository: { url: odd } } } },
      /^terraform_files_source\.git\.git_repository\.url: /,
    ],
    ['update_helm', { source: { git_repository: { url: odd } } }, /^source\.git_repository\.url: /],
    ['create_webhook', { target_url: odd }, /^target_url: /],
    ['create_helm_repository', { url: odd }, /^url: /],
  ])('an address that programs read in different ways is refused: %s', async (name, change, message) => {
    expectRefusal(await send(name, change), message);
  });
});

describe('a database', () => {
  test('has 10 GB, no access from outside and an address by default', async () => {
    const { environment_id, name, type, version, mode } = request('create_database');
    const { body } = await platform.call('create_database', { environment_id, name, type, version, mode });
    expect(body).toMatchObject({
      storage: 10,
      accessibility: 'PRIVATE',
      port: 5432,
      host: expect.stringMatching(/^[a-z0-9.-]+$/),
      service_type: 'DATABASE',
    });
  });
});

describe('a helm service', () => {
  const chart = { chart_name: 'web', chart_version: '1.0.0' };

  test('takes back the source it answers, of either kind', async () => {
    const sources: [Json, Json][] = [
      [
        { helm_repository: { ...chart, repository: ids['helm_repository_id'] } },
        { repository: { ...chart, repository: { id: ids['helm_repository_id'] } } },
      ],
      [{ helm_repository: { ...chart, repository: null } }, { repository: { ...chart, repository: { id: null } } }],
      [
        { git_repository: { url: 'https://git.example.com/team/charts.git', branch: 'next' } },
        { git: { git_repository: { url: 'https://git.example.com/team/charts.git', branch: 'next' } } },
      ],
    ];
    for (const [sent, answered] of sources) {
      const { body } = await send('update_helm', { source: sent });
      expect(body['source']).toMatchObject(answered);
      expect((await send('update_helm', { source: body['source'] })).body['source']).toEqual(body['source']);
      expect((await platform.must('get_helm', { helm_id: ids['helm_id'] }))['source']).toEqual(body['source']);
    }
  });

  test('keeps the id of a port that stays', async () => {
    const first = await send('update_helm', {
      ports: [
        { internal_port: 80, name: 'web' },
        { internal_port: 81, name: 'admin' },
      ],
    });
    const second = await send('update_helm', { ports: [{ internal_port: 81, name: 'admin', external_port: 443 }] });
    const [, admin] = first.body['ports'] as Json[];
    expect(second.body['ports']).toMatchObject([{ id: admin!['id'], external_port: 443 }]);
  });

  test('has the defaults of the document', async () => {
    const { helm_id, name, auto_deploy, source, arguments: args } = request('update_helm');
    expect(
      (await platform.call('update_helm', { helm_id, name, auto_deploy, source, arguments: args, values_override: {} }))
        .body,
    ).toMatchObject({
      timeout_sec: 600,
      allow_cluster_wide_resources: false,
      auto_preview: false,
      ports: [],
      values_override: {},
    });
  });
});

const idsIn = (policy: Json) => [
  policy['id'],
  ...(policy['scalers'] as Json[]).flatMap((scaler) => [
    scaler['id'],
    (scaler['trigger_authentication'] as Json | undefined)?.['id'],
  ]),
];

describe('autoscaling', () => {
  test('keeps the ids of policy, scalers and credentials that stay', async () => {
    const policy = {
      scalers: [
        { scaler_type: 'cpu' },
        { scaler_type: 'kafka', role: 'SAFETY', trigger_authentication: { name: 'k', config_yaml: 'a: b' } },
      ],
    };
    const first = (await platform.must('update_container', request('update_container', { autoscaling: policy })))[
      'autoscaling'
    ] as Json;
    const second = (await platform.must('update_container', request('update_container', { autoscaling: policy })))[
      'autoscaling'
    ] as Json;
    expect(first).toMatchObject({
      mode: 'KEDA',
      polling_interval_seconds: 30,
      cooldown_period_seconds: 300,
      service_id: ids['container_id'],
      scalers: [{ enabled: true, role: 'PRIMARY' }, { role: 'SAFETY' }],
    });
    expect(idsIn(second)).toEqual(idsIn(first));
    const { autoscaling: _, ...without } = request('update_container');
    expect((await platform.call('update_container', without)).body).not.toHaveProperty('autoscaling');
  });
});

describe('an environment', () => {
  test('lists its services of every kind, each with its own members', async () => {
    const rows = rowsOf(await platform.must('list_services', { environment_id: ids['environment_id'] }));
    const members: Record<string, string> = {
      APPLICATION: 'git_repository',
      CONTAINER: 'image_name',
      DATABASE: 'version',
      JOB: 'job_type',
      HELM: 'source',
      TERRAFORM: 'provider_version',
    };
    expect(new Set(rows.map((row) => row['service_type']))).toEqual(new Set(Object.keys(members)));
    for (const row of rows) expect(row).toHaveProperty(members[row['service_type'] as string]!);
  });

  test('says who changed it last', async () => {
    const read = () => platform.must('get_environment', { environment_id: ids['environment_id'] });
    await platform.must('create_database', request('create_database'));
    expect(await read()).toMatchObject({
      last_updated_by: 'admin of the tests',
      project: { id: ids['project_id'] },
      organization: { id: ids['organization_id'] },
    });
  });

  test('counts in its project', async () => {
    const project = await platform.must('create_project', request('create_project'));
    expect(project).toMatchObject({ associated_environments_count: 0 });
    await platform.must('create_environment', { ...request('create_environment'), project_id: project['id'] });
    const rows = rowsOf(await platform.must('list_projects', { organization_id: ids['organization_id'] }));
    expect(rows.find((row) => row['id'] === project['id'])).toMatchObject({ associated_environments_count: 1 });
  });
});
