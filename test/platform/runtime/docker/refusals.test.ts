import { expect, test } from 'vitest';
import { refusalOf } from '../../../../src/platform/runtime/docker/workload.ts';

type Refused = Parameters<typeof refusalOf>[0];

const runs = { min_running_instances: 1, max_running_instances: 1, gpu: 0, storage: [], ports: [], healthchecks: {} };
const git = { git_repository: { url: 'https://git.example.com/team/app.git', branch: 'main' } };
const services = {
  container: { ...runs, image_name: 'team/app', tag: '1' },
  application: { ...runs, ...git },
  job: { max_duration_seconds: 60, source: { docker: git } },
} as const;

test.each(Object.keys(services) as (keyof typeof services)[])(
  'a %s that is to be deployed by itself is refused, with what to do instead',
  (kind) => {
    const refusal = (auto_deploy?: boolean | null): string | undefined =>
      refusalOf({ kind, spec: { ...services[kind], auto_deploy } } as unknown as Refused);
    expect(refusal(true)).toBe(
      'Nothing watches repositories and registries on this cluster: set "auto_deploy" to false, and deploy the service when there is a new commit or tag.',
    );
    expect([refusal(false), refusal(null), refusal()]).toEqual([undefined, undefined, undefined]);
  },
);

test('Terraform is refused where the clusters file names no image for it, with who can switch it on', () => {
  const service = {
    kind: 'terraform',
    spec: {
      ...runs,
      terraform_files_source: git,
      provider_version: { read_from_terraform_block: true },
      terraform_variables_source: { tf_var_file_paths: [] },
    },
  } as unknown as Refused;
  expect(refusalOf(service)).toBe(
    'Terraform is not switched on for this cluster: the operator of the platform configures an image for it, with "terraform" in the clusters file.',
  );
  expect(refusalOf(service, { image: 'registry.example.com/terraform:1' })).toBeUndefined();
});
