import { afterEach, expect, test } from 'vitest';
import { askerOf, closeAll } from './asking.ts';
import type { Members } from './schema.ts';
import { startOtherPlatform } from './start.ts';

afterEach(closeAll);

/** What only answers have. */
const ANSWERED = [
  'id',
  'created_at',
  'updated_at',
  'environment',
  'service_type',
  'job_type',
  'host',
  'disk_encrypted',
  'registry',
  'maximun_gpu',
];

const without = (row: Members, ...names: string[]): Members =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
const git = (repository: unknown, ...dropped: string[]): Members => {
  const { url, branch, root_path, provider, git_token_id } = repository as Members;
  return without({ url, branch, root_path, provider, git_token_id }, ...dropped);
};
const groups = (rows: unknown) => (rows as Members[]).map(({ id }) => ({ id }));

function scaling(answer: unknown): unknown {
  if (answer === undefined) return undefined;
  const { mode, polling_interval_seconds, cooldown_period_seconds, scalers } = answer as Members;
  const plain = (scalers as Members[]).map((scaler) =>
    Object.fromEntries(
      Object.entries(without(scaler, 'id', 'created_at', 'updated_at')).filter(([, value]) => value !== null),
    ),
  );
  return { mode, polling_interval_seconds, cooldown_period_seconds, scalers: plain };
}

/** What is different for each kind. */
const translated: Record<string, (answer: Members) => Members> = {
  application: (answer) => {
    const { owner, name } = answer.git_repository as Members;
    return { git_repository: { ...git(answer.git_repository), owner, name }, autoscaling: scaling(answer.autoscaling) };
  },
  container: (answer) => ({ registry_id: (answer.registry as Members).id, autoscaling: scaling(answer.autoscaling) }),
  database: () => ({}),
  job: ({ source }) => {
    const { image, docker } = source as { image?: Members & { registry: Members }; docker?: Members };
    if (image !== undefined)
      return { source: { image: { ...without(image, 'registry'), registry_id: image.registry.id } } };
    return { source: { docker: { ...docker, git_repository: git(docker?.git_repository) } } };
  },
  helm: ({ source, ports }) => {
    const { chart_name, chart_version, repository } = (source as { repository: Members }).repository;
    return {
      source: { helm_repository: { chart_name, chart_version, repository: (repository as Members).id } },
      ports: (ports as Members[]).map((port) => without(port, 'id', 'port_type')),
    };
  },
  terraform: ({ terraform_files_source: files, terraform_variables_source: variables }) => ({
    terraform_files_source: {
      git_repository: git((files as { git: Members }).git.git_repository, 'provider', 'git_token_id'),
    },
    terraform_variables_source: {
      ...(variables as Members),
      tf_vars: (variables as { tf_vars: Members[] }).tf_vars.map((row) => ({ value: 'given again', ...row })),
    },
  }),
};

test('what is read can be written back, after the members of answers are translated', async () => {
  const platform = askerOf(await startOtherPlatform({ token: 'secret', differences: 'all' }));
  const names = {
    storefront: 'application',
    gateway: 'container',
    orders: 'database',
    nightly: 'job',
    migrate: 'job',
    cache: 'helm',
    network: 'terraform',
  };
  for (const [name, kind] of Object.entries(names)) {
    const path = `/${kind}/${platform.service(name).id}`;
    const before = (await platform.get(path)).body as Members;
    const kept = Object.fromEntries(
      Object.entries(before).filter(([member]) => !ANSWERED.includes(member) && !member.startsWith('maximum_')),
    );
    const fixed = { database: ['type', 'mode', 'port'], terraform: ['auto_deploy'] }[kind] ?? [];
    const body = {
      ...without(kept, ...fixed),
      annotations_groups: groups(kept.annotations_groups),
      labels_groups: groups(kept.labels_groups),
      ...translated[kind]?.(before),
    };
    const answer = await platform.put(path, body);
    // What has ids of its own gets new ones: the scalers, and the ports of a chart.
    expect([name, answer.status, answer.body]).toEqual([
      name,
      200,
      expect.objectContaining(without(kept, 'autoscaling', ...(kind === 'helm' ? ['ports'] : []))),
    ]);
  }
  expect(platform.refusals).toEqual([]);
});
