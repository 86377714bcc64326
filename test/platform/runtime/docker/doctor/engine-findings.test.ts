import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineFindings } from '../../../../../src/platform/runtime/docker/doctor/engine-findings.ts';
import type { AgentOfCluster } from '../../../../../src/platform/runtime/docker/agent/settings.ts';
import { parseDockerAddress } from '../../../../../src/platform/runtime/docker/api/index.ts';
import { proxySettings } from '../../../../../src/platform/runtime/docker/proxy/settings.ts';
import { registrySettings } from '../../../../../src/platform/runtime/docker/registry/settings.ts';
import { withoutAgents } from '../../../../../src/platform/runtime/docker/nodes/node-access.ts';
import { startFakeEngine } from '../fake-engine.ts';
import type { KnownRecords } from '../../../../../src/platform/index.ts';
import type { PlacementRule } from '../../../../../src/platform/runtime/docker/nodes/placement-rules.ts';
import type { DoctorFinding } from '../../../../../src/platform/common/index.ts';
import { runProgram, temporaryDirectory } from '../../../../support/built-program.ts';

const manager = { LocalNodeState: 'active', ControlAvailable: true, NodeID: 'n1', Managers: 1 };
const info = { MemTotal: 8e9, NCPU: 4, DockerRootDir: '/nowhere', Warnings: null, Swarm: manager };
const node = (name: string, State = 'ready', Availability = 'active', Architecture = 'x86_64') => ({
  ID: name === 'one' ? 'n1' : name,
  Description: { Hostname: name, Platform: { Architecture }, Resources: { NanoCPUs: 2e9, MemoryBytes: 4 * 1024 ** 3 } },
  Status: { State },
  Spec: { Availability },
});

/** What is found about an engine that answers like this. */
async function examine(answers: {
  agent?: AgentOfCluster;
  terraform?: { image: string };
  missing?: string;
  services?: readonly object[];
  own?: Parameters<typeof registrySettings>[0];
  rules?: readonly PlacementRule[];
  hasFastFailover?: boolean;
  heartbeat?: number;
  info?: object;
  nodes?: readonly object[];
  registry?: string;
  versions?: object;
  mode?: number;
  containers?: readonly object[];
  domain?: string;
  secrets?: readonly object[];
  registries?: readonly string[];
  distribution?: string;
  isThere?: boolean;
  limits?: { cpu?: number; memory?: number };
  records?: () => KnownRecords | undefined;
}) {
  const engine = await startFakeEngine(
    (response, { url }) => {
      if (url.endsWith('/info')) return response.end(JSON.stringify({ ...info, ...answers.info }));
      if (url.endsWith('/swarm'))
        return response.end(JSON.stringify({ Spec: { Dispatcher: { HeartbeatPeriod: answers.heartbeat ?? 5e9 } } }));
      if (url.includes('/nodes')) return response.end(JSON.stringify(answers.nodes ?? [node('one')]));
      if (url.includes('/distribution/'))
        return response.writeHead(404).end(JSON.stringify({ message: answers.distribution ?? 'manifest unknown' }));
      if (answers.missing !== undefined && url.includes(`/images/${answers.missing}`))
        return response.writeHead(404).end(JSON.stringify({ message: 'no such image' }));
      if (url.includes('/images/docker.io/library/caddy') && answers.isThere === false)
        return response.writeHead(404).end(JSON.stringify({ message: 'no such image' }));
      if (url.includes('/secrets')) return response.end(JSON.stringify(answers.secrets ?? []));
      if (url.includes('/services?') && decodeURIComponent(url).includes('io.infra-mcp.registry'))
        return response.end(JSON.stringify(answers.services ?? []));
      if (/\/(?:services|tasks|configs|networks|images\/json)\?/.test(url)) return response.end('[]');
      if (url.includes('/volumes')) return response.end('{"Volumes":null}');
      if (url.includes('/containers/json'))
        return response.end(
          JSON.stringify(
            (answers.containers ?? []).filter(
              (one) => !decodeURIComponent(url).includes('io.infra-mcp.proxy') || 'Labels' in one,
            ),
          ),
        );
      return response.end('{}');
    },
    { Os: 'linux', ...answers.versions },
  );
  const address = parseDockerAddress(engine.address);
  if (answers.mode !== undefined && address.kind === 'unix') await chmod(address.path, answers.mode);
  const findings = await engineFindings({
    docker: engine.docker,
    engines: [engine.docker],
    address,
    nodes: withoutAgents(engine.docker, 'the cluster has no agent'),
    agent: answers.agent,
    terraform: answers.terraform,
    limits: answers.limits,
    ownRegistry: answers.own && registrySettings(answers.own, 'docker.io/library/caddy:2'),
    ...(answers.registry !== undefined && { registry: answers.registry }),
    repository: 'infra-mcp/doctor',
    registries: answers.registries ?? [],
    registryUrl: () => 'http://127.0.0.1:1',
    proxy: proxySettings({ domain: answers.domain ?? 'localhost' }),
    placement: { rules: answers.rules ?? [] },
    hasFastFailover: answers.hasFastFailover ?? false,
    credentialsFor: (host) =>
      host === 'private.example' ? { username: 'puller', password: 'hidden-word', serveraddress: host } : undefined,
    records: { place: '/records', read: answers.records ?? (() => undefined) },
    guide: 'https://example.com/guide',
  });
  expect(engine.seen.map(({ method }) => method).filter((method) => method !== 'GET')).toEqual([]);
  return { findings, of: (check: string) => findings.find((one) => one.check === check) };
}

test.each([
  [
    'a worker',
    { LocalNodeState: 'active', ControlAvailable: false, NodeID: 'n7' },
    'the engine is a worker',
    'docker node promote n7',
  ],
  ['a locked swarm', { LocalNodeState: 'locked' }, 'the swarm is locked', 'swarm unlock'],
  [
    'a broken swarm',
    { LocalNodeState: 'error', Error: 'certificate has expired' },
    'certificate has expired',
    'log of the engine',
  ],
  ['one that is joining', { LocalNodeState: 'pending' }, 'still joining', 'Check again'],
])('%s is a problem', async (_, Swarm, says, todo) => {
  expect((await examine({ info: { Swarm } })).of('swarm')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining(says),
    todo: expect.stringContaining(todo),
  });
});

test('several machines need a registry, and those that are down or drained are named', async () => {
  const nodes = [node('one'), node('two', 'down'), node('three', 'ready', 'drain')];
  const { of } = await examine({ nodes });
  expect(of('nodes')).toMatchObject({
    state: 'note',
    says: '2 of 3 take no services: two (down, active), three (ready, drain)',
  });
  expect(of('nodes')?.todo).toContain('Start the engines of two, and open these ports between the machines: 2377/tcp');
  expect(of('nodes')?.todo).toMatch(/docker --host unix:\/\/\S+ node update --availability active three\.$/);
  expect(of('registry')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining('2 machines'),
    todo: expect.stringContaining('--registry'),
  });
  expect(of('agents')).toMatchObject({
    state: 'note',
    says: expect.stringMatching(
      /^2 of 3 nodes can't be asked: three \(the cluster has no agent\), two \(it is down\)\. Unknown about them: whether instances exceeded/,
    ),
    todo: expect.stringContaining('"agent: {}"'),
  });
  expect((await examine({ nodes, registry: 'registry.example:5000' })).of('registry')).toMatchObject({ state: 'good' });
});

const nodesOf = (...roles: readonly string[]) =>
  roles.map((Role, index) => ({ ...node(`node-${index}`), Spec: { Availability: 'active', Role } }));

test('several machines need three managers, and it is said what to do for them', async () => {
  expect((await examine({ nodes: nodesOf('manager') })).of('managers')).toBeUndefined();
  expect((await examine({ nodes: nodesOf('manager', 'worker', 'worker') })).of('managers')).toMatchObject({
    state: 'note',
    says: 'only node-0; if it is lost, services on the others keep running, but nothing can be deployed, moved or observed until it is back',
    todo: expect.stringMatching(
      /^Have three, so that one may be lost: docker --host \S+ node promote node-1 node-2\. Then list their addresses/,
    ),
  });
  expect((await examine({ nodes: nodesOf('manager', 'manager') })).of('managers')).toMatchObject({
    state: 'note',
    says: expect.stringContaining('two are worse than one'),
    todo: expect.stringContaining('join another machine as a manager'),
  });
  expect((await examine({ nodes: nodesOf('manager', 'manager', 'manager') })).of('managers')).toMatchObject({
    state: 'good',
    says: '3 of 3 machines',
  });
});

test('how soon a lost node is missed is told, and what the platform would change of the swarm', async () => {
  const nodes = [node('one'), node('two')];
  expect((await examine({ nodes })).of('failover')).toMatchObject({
    state: 'good',
    says: 'a lost node is detected after at most 15 s: the heartbeat of the swarm is 5 s; "failover: fast" in the clusters file would set it to 1 s',
  });
  expect((await examine({ nodes, hasFastFailover: true })).of('failover')).toMatchObject({
    state: 'info',
    says: expect.stringContaining('the platform sets it to 1 s when it starts, for the whole swarm'),
  });
  expect((await examine({ nodes, hasFastFailover: true, heartbeat: 1e9 })).of('failover')).toEqual({
    check: 'failover',
    state: 'good',
    says: 'a lost node is detected after at most 3 s: the heartbeat of the swarm is 1 s',
  });
});

test('a placement rule that no node fits is a problem', async () => {
  const rules = [
    { where: { mode: 'PRODUCTION' }, constraints: ['node.labels.disk==ssd'] },
    { where: {}, constraints: ['node.hostname!=two'] },
  ];
  expect((await examine({ rules })).findings.filter(({ check }) => check === 'placement')).toEqual([
    {
      check: 'placement',
      state: 'bad',
      says: expect.stringMatching(/^rule for mode PRODUCTION: .*node\.labels\.disk==ssd.*\bone\b/),
      todo: expect.any(String),
    },
  ]);
});

test('placement rules that hold for the same services need a node that fits all of them, and that takes instances', async () => {
  const rules = [
    { where: { mode: 'PRODUCTION' }, constraints: ['node.hostname!=one'] },
    { where: { mode: 'PRODUCTION', kind: 'database' }, constraints: ['node.hostname!=two'] },
    { where: { kind: 'job' }, constraints: ['node.hostname==one'] },
  ];
  const told = async (...nodes: readonly object[]) =>
    (await examine({ rules, nodes })).findings.filter(({ check }) => check === 'placement');
  expect(await told(node('one'), node('two'))).toEqual([
    {
      check: 'placement',
      state: 'bad',
      says: expect.stringMatching(
        /^rule for mode PRODUCTION, kind database, with the others that apply to the same services: .*node\.hostname!=two and node\.hostname!=one/,
      ),
      todo: expect.any(String),
    },
  ]);
  expect(await told(node('one'), node('two'), node('three', 'ready', 'drain'))).toEqual([
    {
      check: 'placement',
      state: 'bad',
      says: 'rule for mode PRODUCTION, kind database: only three would fit, and it takes no services',
      todo: expect.stringContaining('new databases and storage get no node'),
    },
  ]);
  expect(await told(node('one'), node('two'), node('three'))).toEqual([]);
});

test('a registry that each machine looks for on itself is worth knowing, and different kinds of CPU are a problem', async () => {
  const nodes = [node('one'), node('two', 'ready', 'active', 'aarch64')];
  for (const registry of ['127.0.0.1:5000', 'localhost', '[::1]:5000'])
    expect((await examine({ nodes, registry })).of('registry')).toMatchObject({
      state: 'note',
      says: expect.stringMatching(
        /answers the engine; whether it accepts images can't be tested from this machine .*; each of the 2 machines reaches itself by that address$/,
      ),
    });
  expect((await examine({ registry: '127.0.0.1:5000' })).of('registry')).toMatchObject({ state: 'good' });
  const { findings } = await examine({ nodes });
  expect(findings.filter(({ check }) => check === 'nodes')).toMatchObject([
    { state: 'good' },
    { state: 'bad', says: expect.stringContaining('x86_64 (one), aarch64 (two)') },
  ]);
  expect(
    (await examine({ nodes: [node('one'), node('two', 'ready', 'drain', 'aarch64')] })).findings.filter(
      ({ check }) => check === 'nodes',
    ),
  ).toMatchObject([{ state: 'note' }]);
});

test('the registry that a platform will run needs its port and its images', async () => {
  expect((await examine({ own: {} })).of('registry')).toMatchObject({
    state: 'good',
    says: "the platform's own is set up at 127.0.0.1:5055 of every node when the platform starts; its images are available",
  });
  expect((await examine({ own: {}, isThere: false, distribution: 'no such host' })).of('registry')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining("docker.io/library/caddy:2 is missing, and can't be pulled: no such host"),
  });
  const containers = [{ Names: ['/theirs'], State: 'running', Ports: [{ PrivatePort: 5000, PublicPort: 5077 }] }];
  expect((await examine({ own: { port: 5077 }, containers })).of('registry')).toMatchObject({
    state: 'bad',
    says: "the platform's own can't be set up at 127.0.0.1:5077: the container theirs has that port",
    todo: expect.stringContaining('registry: { port: … }'),
  });
});

test.each([
  [
    'left the swarm',
    [node('one')],
    'the node that kept its images is no longer part of the cluster',
    'To start with an empty registry on another node: docker service rm infra-registry-x. Applications have to be deployed again then. ',
  ],
  [
    'is drained',
    [node('one'), node('two', 'ready', 'drain')],
    'the node two, which keeps its images, is drained',
    'To let it run services again: docker node update --availability active two. ',
  ],
  [
    'is down',
    [node('one'), node('two', 'down')],
    'the node two, which keeps its images, is down',
    'Start the engine of two, and make sure that the managers reach it. ',
  ],
  [
    'does not run it',
    [node('one'), node('two')],
    'it does not run on the node two: the engine has not started it yet',
    'See what the engine reports about it, and fix that: docker service ps --no-trunc infra-registry-x. ',
  ],
])(
  "that the node with the images of the platform's registry %s is told, with what to do",
  async (_, nodes, obstacle, remedy) => {
    for (const isReadOnly of ['false', 'true']) {
      const services = [
        {
          ID: 's1',
          Spec: {
            Name: 'infra-registry-x',
            Labels: {
              'io.infra-mcp.registry': 'registry',
              'io.infra-mcp.read-only': isReadOnly,
              'io.infra-mcp.cleaned': '0',
            },
            TaskTemplate: { ContainerSpec: {}, Placement: { Constraints: ['node.id==two'] } },
          },
        },
      ];
      expect((await examine({ own: {}, nodes, services })).of('registry')).toMatchObject({
        state: 'bad',
        says: `the platform's own accepts no images: ${obstacle}`,
        todo: `${remedy}The platform has to run; built applications can't be deployed meanwhile.`,
      });
    }
  },
);

test('an engine that every user can use, little memory and the warnings of the engine are worth knowing', async () => {
  const { of, findings } = await examine({
    mode: 0o666,
    info: { MemTotal: 5e8, NCPU: 1, Warnings: ['WARNING: No swap limit support'] },
  });
  expect(of('access')).toMatchObject({
    state: 'note',
    says: expect.stringContaining('and so become root'),
    todo: expect.stringContaining('chmod o-rwx'),
  });
  expect(of('memory')).toMatchObject({ state: 'note', says: '500 MB of memory, 1 CPU' });
  expect(of('engine settings')).toMatchObject({ state: 'note', says: 'No swap limit support' });
  expect(findings.filter(({ state }) => state === 'bad')).toEqual([]);
});

test('a warning of the engine is one line, and one about managers leads to what is said of these', async () => {
  const { of } = await examine({
    info: {
      Warnings: [
        'WARNING: Running Swarm in a two-manager configuration. This configuration provides\n         no fault tolerance.',
      ],
    },
  });
  expect(of('engine settings')).toMatchObject({
    says: 'Running Swarm in a two-manager configuration. This configuration provides no fault tolerance.',
    todo: 'See the findings about the managers.',
  });
});

const proxy = (State: string) => ({
  Names: ['/infra-proxy-1'],
  State,
  Labels: { 'io.infra-mcp.proxy': 'x' },
  Ports:
    State === 'running'
      ? [
          { PrivatePort: 443, PublicPort: 443 },
          { PrivatePort: 80, PublicPort: 80 },
        ]
      : [],
});

test('what serves public ports runs, or says why not, or has its ports taken', async () => {
  expect((await examine({ containers: [proxy('running')] })).of('public ports')).toMatchObject({
    state: 'good',
    says: 'the proxy runs, and listens on 80 and 443',
  });
  expect((await examine({ containers: [proxy('exited')] })).of('public ports')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining('the proxy is exited'),
    todo: expect.stringContaining('logs infra-proxy-1'),
  });
  const containers = [
    {
      Names: ['/blog'],
      State: 'running',
      Ports: [
        { PrivatePort: 8080, PublicPort: 443 },
        { PrivatePort: 8081, PublicPort: 80 },
      ],
    },
  ];
  expect((await examine({ containers, domain: 'apps.example.com' })).of('public ports')).toMatchObject({
    state: 'note',
    says: 'port 80 is taken by the container blog, port 443 is taken by the container blog',
  });
  // Below `localhost` there are no certificates, and the port of https is not needed.
  expect((await examine({ containers })).of('public ports')).toMatchObject({
    state: 'note',
    says: 'port 80 is taken by the container blog',
  });
});

test.each<[string, Parameters<typeof examine>[0], Partial<DoctorFinding> | undefined]>([
  ['none', {}, undefined],
  ['only a number of services', { limits: {} }, undefined],
  [
    'what fits',
    { limits: { cpu: 4000, memory: 7000 } },
    { state: 'good', says: 'services may hold 4000 of 4000 thousandths of a CPU, and 7000 of 7629 MB of memory' },
  ],
  [
    'too many CPUs',
    { limits: { cpu: 8000, memory: 7000 } },
    {
      state: 'note',
      says: 'services may hold 8000 thousandths of a CPU, and the engine has 4000: services that are all busy then slow each other down',
    },
  ],
  [
    'too much memory',
    { limits: { memory: 16_384 } },
    {
      state: 'note',
      says: 'services may hold 16384 MB of memory, and the engine has 7629: services that no longer fit then wait for room, and are not started',
    },
  ],
  [
    'what two machines have together',
    { limits: { cpu: 4000, memory: 8192 }, nodes: [node('one'), node('two'), node('three', 'down')] },
    { state: 'good' },
  ],
  [
    'more than two machines have together',
    { limits: { memory: 8193 }, nodes: [node('one'), node('two'), node('three', 'down')] },
    { state: 'note', says: expect.stringContaining('the machines together have 8192') as string },
  ],
  [
    'too much for an engine without swarm mode',
    { limits: { memory: 16_384 }, info: { Swarm: { LocalNodeState: 'inactive' } } },
    { state: 'note' },
  ],
])('the limits of a cluster are compared with what its engine has: %s', async (_, answers, expected) => {
  const found = (await examine(answers)).of('limits');
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

test.each([
  [{ Version: '19.03.15', ApiVersion: '1.40' }, 'the engine 19.03.15 is too old'],
  [{ Version: '28.0.0', Os: 'windows' }, 'runs containers of windows'],
])('an engine with %o is a problem', async (versions, says) => {
  expect((await examine({ versions })).of('engine')).toMatchObject({
    state: 'bad',
    says: expect.stringContaining(says),
  });
});

const known: KnownRecords = { platformId: 'p1', serviceIds: new Set(['s1']), environmentIds: new Set(['e1']) };
const secret = (Name: string, platform: string, service: string) => ({
  ID: Name,
  Spec: {
    Name,
    Labels: { 'io.infra-mcp.platform': platform, 'io.infra-mcp.environment': 'e1', 'io.infra-mcp.service': service },
  },
});
const unreadable = (): never => {
  throw new Error('file is not a database');
};

test.each<
  [string, { secrets: readonly object[]; records?: () => KnownRecords | undefined }, readonly Partial<DoctorFinding>[]]
>([
  ['nothing', { secrets: [] }, [{ state: 'good', says: 'the engine has no object that a platform created' }]],
  [
    'what is known',
    { secrets: [secret('a', 'p1', 's1')], records: () => known },
    [{ state: 'good', says: '1 object of the platform in /records, all of which its records know' }],
  ],
  [
    'what no record knows, and another platform',
    { secrets: [secret('a', 'p1', 's1'), secret('b', 'p1', 's2'), secret('c', 'p2', 's1')], records: () => known },
    [
      { state: 'note', says: '1 object of 2 that no record in /records knows: secret b' },
      {
        state: 'note',
        says: '1 object of 1 other platform, whose records are elsewhere',
        todo: expect.stringContaining('label=io.infra-mcp.platform=p2') as string,
      },
    ],
  ],
  [
    'no records',
    { secrets: [secret('a', 'p1', 's1')] },
    [
      {
        state: 'note',
        says: '1 object of platforms; whether the records contain them is unknown: /records has no records of a platform with engines',
      },
    ],
  ],
  [
    'records that can not be read',
    { secrets: [secret('a', 'p1', 's1')], records: unreadable },
    [{ state: 'note', says: expect.stringContaining("can't be read: file is not a database") as string }],
  ],
])('objects of platforms: %s', async (_, answers, expected) => {
  const { findings } = await examine(answers);
  expect(findings.filter(({ check }) => check === 'objects of platforms')).toMatchObject(expected);
});

test('the image of the proxy is there, or can be pulled, or can not be had', async () => {
  expect((await examine({})).of('proxy image')).toMatchObject({
    state: 'good',
    says: 'docker.io/library/caddy:2 is there',
  });
  expect(
    (await examine({ isThere: false, distribution: 'dial tcp: lookup registry-1.docker.io: no such host' })).of(
      'proxy image',
    ),
  ).toMatchObject({
    state: 'note',
    says: expect.stringContaining("is missing, and can't be pulled: dial tcp"),
    todo: expect.stringContaining('docker load'),
  });
});

test('the images of agents and for Terraform are there, can be pulled, or are a problem, where the cluster has these', async () => {
  expect((await examine({})).findings.map(({ check }) => check)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:agent|Terraform) image$/)]),
  );
  const image = 'registry.example/node:24';
  expect((await examine({ agent: {} })).of('agent image')).toMatchObject({
    state: 'good',
    says: 'docker.io/library/node:24-alpine is there',
  });
  expect(
    (await examine({ agent: { image }, missing: image, distribution: 'no such host' })).of('agent image'),
  ).toMatchObject({
    state: 'bad',
    says: `${image} is missing, and can't be pulled: no such host`,
    todo: expect.stringMatching(/^Every node needs it for its agent: .*docker load/),
  });
  expect((await examine({ terraform: { image } })).of('Terraform image')).toMatchObject({ state: 'good' });
  expect(
    (await examine({ terraform: { image }, missing: image, distribution: 'no such host' })).of('Terraform image'),
  ).toMatchObject({ state: 'bad', todo: expect.stringContaining('Terraform services need it') });
});

test('every registry that services may name is asked, with its credentials', async () => {
  const { findings } = await examine({
    registry: 'built.example',
    registries: ['built.example', 'private.example'],
    distribution: 'unauthorized: authentication required',
  });
  expect(findings.filter(({ check }) => check === 'registry')).toMatchObject([
    { state: 'good', says: expect.stringContaining('built.example answers the engine') },
    { state: 'note', says: 'private.example answers the engine, and refuses puller' },
  ]);
  expect(JSON.stringify(findings)).not.toContain('hidden-word');
});

test('the clusters file of the platform is read: each engine, by the name of its cluster, and the programs that its git servers need', async () => {
  const directory = await temporaryDirectory();
  const file = join(directory, 'clusters.yaml');
  await writeFile(
    file,
    'clusters: { one: { engine: "unix:///nowhere/one.sock", limits: { cpu: 4000, memory: 8192, services: 20 } }, two: { engine: "ssh://two.example" } }\ngit: { code.example.com: { key_file: id, known_hosts_file: hosts } }\n',
  );
  const doctor = async () =>
    JSON.parse(
      (
        await runProgram(['doctor', 'platform', '--json', '--clusters-file', file, '--data-dir', directory], {
          PATH: directory,
        })
      ).stdout,
    ) as { ok: boolean; findings: DoctorFinding[] };
  const { ok, findings } = await doctor();
  expect(ok).toBe(false);
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        check: 'one: engine',
        state: 'bad',
        says: expect.stringContaining('the socket does not exist'),
      }),
      expect.objectContaining({
        check: 'two: engine',
        state: 'bad',
        says: expect.stringContaining("can't be reached by ssh://"),
      }),
      expect.objectContaining({ check: 'git', state: 'note', says: expect.stringContaining('git is not installed') }),
      expect.objectContaining({ check: 'ssh', state: 'bad', says: expect.stringContaining('code.example.com') }),
    ]),
  );
  await writeFile(file, 'clusters: { one: { engine: "unix:///nowhere/one.sock", limits: { disk: 1 } } }');
  expect((await doctor()).findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        check: 'clusters',
        state: 'bad',
        says: expect.stringContaining('clusters.one.limits.disk: is not known'),
      }),
    ]),
  );
});

test('of a cluster with several addresses, the nodes of all these engines are asked, without agents too', async () => {
  const names = ['one', 'two', 'three'];
  const engines = await Promise.all(
    names.map((name) =>
      startFakeEngine(
        (response, { url }) => {
          const Swarm = {
            ...manager,
            NodeID: node(name).ID,
            ControlAvailable: name !== 'three',
            Managers: 2,
            ...(name !== 'three' && { Cluster: { ID: 'ours' } }),
          };
          if (url.endsWith('/info')) return response.end(JSON.stringify({ ...info, Swarm }));
          if (url.endsWith('/swarm'))
            return response.end(JSON.stringify({ Spec: { Dispatcher: { HeartbeatPeriod: 5e9 } } }));
          if (url.includes('/nodes')) return response.end(JSON.stringify(names.map((each) => node(each))));
          return response.end(/\/(?:images\/[^j]|volumes)/.test(url) ? '{}' : '[]');
        },
        { Os: 'linux' },
      ),
    ),
  );
  const directory = await temporaryDirectory();
  const file = join(directory, 'clusters.yaml');
  await writeFile(file, JSON.stringify({ clusters: { local: { engine: engines.map(({ address }) => address) } } }));
  const agents = async () =>
    (
      JSON.parse(
        (await runProgram(['doctor', 'platform', '--json', '--clusters-file', file, '--data-dir', directory])).stdout,
      ) as { findings: DoctorFinding[] }
    ).findings.find(({ check }) => check === 'local: agents');
  expect(await agents()).toMatchObject({ state: 'good', says: 'the engines of all 3 nodes can be asked' });
  await engines[2]!.stop();
  expect(await agents()).toMatchObject({
    state: 'note',
    says: expect.stringMatching(/^1 of 3 nodes can't be asked: three \(the cluster has no agent: /),
    todo: expect.stringContaining('list the addresses of their engines there'),
  });
});

test('that nodes were not asked about the registry of the platform is said', async () => {
  expect((await examine({ own: {}, nodes: [node('one'), node('two')] })).of('registry on nodes')).toMatchObject({
    state: 'note',
    says: expect.stringContaining('the nodes were not checked'),
    todo: expect.stringContaining('Open 5056/tcp between the machines'),
  });
  expect((await examine({ own: {} })).of('registry on nodes')).toBeUndefined();
});
