import { container, gitRepository, httpProbe, publicPort, seedId, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'network/staging';
const tooling = 'network/tooling';
const service = `${environment}/private-network`;
const runner = `${tooling}/plan-runner`;
const program = { language: 'python', listens: { port: 8000 }, answers: { '/healthz': 200 } } as const;

/** A Terraform state whose lock was never released. */
export const terraformStateLock: Scenario = {
  name: 'terraform-state-lock',
  story:
    'plan-runner, which looks for drift, locks the terraform state of private-network for each look. Its version 2.1.0 hangs after some hours and keeps the lock.',
  symptoms:
    'DEPLOYMENT_ERROR; "Error acquiring the state lock", with the pod that holds it under "Who"; that pod is an instance of the container plan-runner.',
  fix: 'Restart plan-runner (restart_services in the environment tooling), which gives the lock back, and run the terraform service again; or move plan-runner back to 2.0.3.',
  environments: [
    { path: environment, mode: 'STAGING', cluster: 'main' },
    { path: tooling, mode: 'DEVELOPMENT', cluster: 'main' },
  ],
  services: [
    {
      environment,
      name: 'private-network',
      kind: 'terraform',
      deployed: true,
      spec: {
        auto_deploy: false,
        terraform_files_source: {
          git: { git_repository: { ...gitRepository('private-network'), root_path: '/staging' } },
        },
        terraform_variables_source: { tf_var_file_paths: ['staging.tfvars'] },
        provider_version: { read_from_terraform_block: true },
        timeout_sec: 1800,
        cpu: 500,
        memory: 512,
      },
    },
    container(
      tooling,
      'plan-runner',
      '2.0.3',
      { healthchecks: { readiness_probe: httpProbe(8000, '/healthz') } },
      { ports: [publicPort(runner, 8000)] },
    ),
  ],
  history: [
    { daysAgo: 18.4, by: 'Bo Lindqvist', deploy: [runner] },
    { daysAgo: 6.1, by: 'Bo Lindqvist', deploy: [service] },
    { daysAgo: 2.61, by: 'Bo Lindqvist', change: runner, to: { tag: '2.1.0' } },
    { daysAgo: 2.6, by: 'Bo Lindqvist', deploy: [runner] },
    { daysAgo: 0.27, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.25, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/plan-runner': { registries: [seedIds.registry_id], tags: { '2.0.3': { program }, '2.1.0': { program } } },
    },
    repositories: {
      'https://git.acme.example/acme/private-network.git': {
        commits: [
          {
            id: '4c7e19b0a5d2836f0e9bc4173a68df52071e94bc',
            daysAgo: 7.3,
            author: 'Bo Lindqvist',
            message: 'Allow the mail relay out',
          },
          {
            id: 'a93d0f5e271bc8640f3e92d5b817c40e6a5f2d17',
            daysAgo: 0.3,
            author: 'Jonas Weber',
            message: 'Add a subnet for the warehouse',
          },
        ],
        state: {
          path: 'acme-terraform-state/network/staging.tfstate',
          holder: seedId(`service/${runner}`),
          tags: ['2.1.0'],
          stuckAfterHours: 6,
        },
      },
    },
  },
};
