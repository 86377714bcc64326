import * as z from 'zod';
import { operations, reference, TerraformRequest, TerraformSource } from '../../src/contract/index.ts';
import {
  composeTool,
  defineTool,
  isRecord,
  naming,
  readUses,
  record,
  recordsIn,
  secretsSeen,
  type JsonRecord,
  type Preview,
  type ToolContext,
  serviceDeployment,
} from '../../src/server/tool/index.ts';
import { untilEnded } from '../shared/wait-for-end.ts';
import { takenAlong } from '../shared/pending-changes.ts';
import { joined } from '../shared/plan-parts.ts';
import { startMoment } from '../shared/deployment-started.ts';

const isMade = ({ ended_at: ended }: JsonRecord): boolean => ended !== undefined;

/** The plan that was asked for as the platform lists it; undefined if it doesn't. */
async function listedPlan(context: ToolContext, terraform_id: string, id: unknown): Promise<JsonRecord | undefined> {
  const listed: JsonRecord | undefined = await context.attempt(operations.list_terraform_plans, { terraform_id });
  return recordsIn(listed?.['results']).find((plan) => plan['id'] === id);
}

export const planTerraform = defineTool(operations.plan_terraform, {
  toolset: 'services',
  title: 'Terraform plan: preview of changes',
  description:
    'Preview (plan) of a Terraform service: resources a deployment would add, change, destroy; changes nothing.',
  plan: () => [
    'Terraform reads what is there, with its credentials, and runs the providers of its repository. It ' +
      'applies nothing.',
  ],
  reads: readUses('the plan can not be shown, only that it is made', operations.list_terraform_plans),
  answer: (args, context, [asked = {}]) =>
    untilEnded(context, asked, {
      hasEnded: isMade,
      statusOf: ({ status }) => String(status),
      read: () => listedPlan(context, String(args['terraform_id']), asked['id']),
    }),
  render: record({
    first: ['status', 'to_add', 'to_change', 'to_destroy', 'reason', 'obstacle', 'text'],
    omitted: ['condition'],
  }),
  next: (plan, { terraform_id: terraform }) =>
    plan['status'] === 'ERROR'
      ? [{ tool: 'diagnose_deployment', arguments: { service: terraform }, why: 'what its log says' }]
      : [
          {
            tool: 'redeploy_terraform',
            arguments: { terraform_id: terraform },
            why: isMade(plan)
              ? 'applies this plan, once somebody agrees'
              : 'shows the plan when it is made; with dry_run it only shows',
          },
        ],
});

export const redeployTerraform = defineTool(operations.redeploy_terraform, {
  toolset: 'services',
  title: 'Terraform apply',
  description: 'Apply or run a Terraform service again: its newest plan, or a new one.',
  preview: joined(serviceDeployment, takenAlong),
  ...startMoment('DEPLOY', 'terraform_id'),
});

const { name, timeout_sec, cpu, memory, description, terraform_variables_source } = TerraformRequest.shape;
const { tf_var_file_paths, tf_vars } = terraform_variables_source.unwrap().shape;

/** Where the state of a service is kept, in the words of requests. */
const backends = ['kubernetes', 'user_provided'] as const;

/** Where the state of a new service is kept, and what of its variables can't be read afterwards. */
const whatIsKept: Preview = async ({ backend, terraform_variables_source: given }) => [
  isRecord(backend) && backend['kubernetes'] !== undefined
    ? 'The platform keeps its state, unless the repository names a backend.'
    : 'Its state is kept in the backend that the repository names.',
  ...(isRecord(given) && recordsIn(given['tf_vars']).some(({ secret }) => secret === true)
    ? ['Variables marked as secret can not be read back.']
    : []),
];

export const createTerraform = composeTool({
  name: 'create_terraform',
  toolset: 'administration',
  title: 'Add infrastructure as code from Git',
  description: 'Terraform: infrastructure as code from Git; not applied.',
  input: {
    environment_id: reference('environment'),
    name,
    git_repository: TerraformSource,
    tf_vars: tf_vars.unwrap().optional(),
    terraform_version: z.string().min(1).max(50).optional().describe('Default: its own.'),
    backend: z.enum(backends).default('kubernetes').describe('user_provided: that of the repository.'),
    tf_var_file_paths,
    cpu,
    memory,
    storage_gib: z.int().min(1).default(1),
    timeout_sec,
    description: description.default(''),
  },
  fields: { git_repository: '{url, branch: main, root_path: /}.', tf_vars: '{key, value, secret}.' },
  folded: ['git_repository', 'tf_vars[]'],
  hidden: [
    'backend',
    'tf_var_file_paths',
    'cpu',
    'memory',
    'storage_gib',
    'timeout_sec',
    'description',
    'git_repository.git_token_id',
  ],
  operations: [operations.create_terraform],
  expand: async ({
    environment_id,
    git_repository,
    tf_vars: variables = [],
    tf_var_file_paths: files,
    terraform_version: version,
    backend,
    cpu: cpu_milli,
    memory: ram_mib,
    storage_gib,
    ...rest
  }) => [
    {
      operation: operations.create_terraform,
      input: {
        ...rest,
        environment_id,
        auto_deploy_config: { auto_deploy: false, terraform_action: 'DEFAULT' },
        terraform_files_source: { git_repository },
        terraform_variables_source: { tf_var_file_paths: files, tf_vars: variables },
        backend: { [backend]: {} },
        engine: 'TERRAFORM',
        provider_version:
          version === undefined
            ? { read_from_terraform_block: true }
            : { explicit_version: version, read_from_terraform_block: false },
        job_resources: { cpu_milli, ram_mib, gpu: 0, storage_gib },
      },
    },
  ],
  preview: joined(whatIsKept, secretsSeen),
  output: operations.create_terraform.response,
  answer: (_, __, [made = {}]) => Promise.resolve(made),
  render: record({ first: ['name', 'id'] }),
  next: naming`Nothing is applied yet: ${'plan_terraform'} shows what would be, ${'redeploy_terraform'} applies it.`,
});
