import * as z from 'zod';
import { operations, reference, TerraformRequest, TerraformSource } from '../../src/contract/index.ts';
import {
  composeTool,
  isRecord,
  naming,
  omit,
  partialShape,
  partialUpdate,
  pick,
  reading,
  readUses,
  recordsIn,
  type JsonRecord,
  type Preview,
} from '../../src/server/tool/index.ts';
import { joined } from '../shared/plan-parts.ts';

const { name, timeout_sec, cpu, memory, description, terraform_variables_source } = TerraformRequest.shape;
const { tf_var_file_paths, tf_vars } = terraform_variables_source.unwrap().shape;

/** Members of the tool that requests have elsewhere. */
const moved = ['git_repository', 'tf_vars', 'tf_var_file_paths', 'terraform_version', 'cpu', 'memory'];

/** The variables of a service that a request can send back: the value of a secret one may not be shown. */
const isReadable = ({ value }: JsonRecord): boolean => typeof value === 'string';

const variablesOf = (service: JsonRecord): readonly JsonRecord[] => {
  const source = service['terraform_variables_source'];
  return isRecord(source) ? recordsIn(source['tf_vars']) : [];
};

/** A record without members that the platform shows as null or not at all. */
const withoutNulls = (shown: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(shown).filter(([, value]) => (value ?? undefined) !== undefined));

/** The repository as requests name it, without members that some platforms refuse. */
function sourceForRequest(files: unknown): JsonRecord {
  const { git, git_repository: own } = isRecord(files) ? files : {};
  const repository = own ?? (isRecord(git) ? git['git_repository'] : undefined);
  return isRecord(repository) ? { git_repository: withoutNulls(omit(repository, ['provider'])) } : {};
}

/** Converts a Terraform service to a request. */
function asRequest({ cpu: cpu_milli, memory: ram_mib, auto_deploy, ...service }: JsonRecord): JsonRecord {
  const { terraform_files_source: files, terraform_variables_source: variables } = service;
  return {
    description: '',
    auto_deploy_config: { auto_deploy: auto_deploy === true, terraform_action: 'DEFAULT' },
    job_resources: { cpu_milli, ram_mib, gpu: 0, storage_gib: 1 },
    ...withoutNulls(service),
    terraform_files_source: sourceForRequest(files),
    terraform_variables_source: {
      tf_var_file_paths: [],
      ...(isRecord(variables) && variables),
      tf_vars: variablesOf(service).filter(isReadable),
    },
  };
}

/** The version of Terraform, or null for that of the repository, as requests have it. */
const versionOf = (version: unknown): JsonRecord => ({
  explicit_version: version,
  read_from_terraform_block: version === null,
});

/** The arguments with their members where requests have them. */
function asBody({ git_repository, terraform_version: version, ...args }: JsonRecord): JsonRecord {
  const variables = pick(args, ['tf_vars', 'tf_var_file_paths']);
  const resources = pick({ cpu_milli: args['cpu'], ram_mib: args['memory'] }, ['cpu_milli', 'ram_mib']);
  return {
    ...omit(args, moved),
    ...(git_repository !== undefined && { terraform_files_source: { git_repository } }),
    ...(Object.keys(variables).length > 0 && { terraform_variables_source: variables }),
    ...(version !== undefined && { provider_version: versionOf(version) }),
    ...(Object.keys(resources).length > 0 && { job_resources: resources }),
  };
}

const update = partialUpdate(operations.update_terraform, { asRequest });

/** What becomes of variables that the platform shows without their values, or doesn't show here. */
const otherVariables: Preview = reading(
  readUses('the plan does not tell which variables can not be sent back', operations.get_terraform),
  async ({ terraform_id, terraform_variables_source: sent }, { reader }) => {
    const present: JsonRecord | undefined = await reader.attempt(operations.get_terraform, {
      terraform_id: String(terraform_id),
    });
    const given = isRecord(sent) ? recordsIn(sent['tf_vars']).map(({ key }) => key) : [];
    const unreadable = variablesOf(present ?? {}).filter((row) => !isReadable(row) && !given.includes(row['key']));
    return unreadable.length === 0
      ? []
      : [
          `Variables whose values can not be read, and so are not sent: ${unreadable.map(({ key }) => String(key)).join(', ')}. Where the platform doesn't keep them, they are lost: give them again.`,
        ];
  },
);

export const updateTerraform = composeTool({
  name: 'update_terraform',
  toolset: 'administration',
  title: 'Change a Terraform service: branch, variables',
  description: 'Change a Terraform service: Git repository, variables, version; not applied.',
  input: {
    terraform_id: reference('terraform'),
    ...partialShape({
      name,
      git_repository: TerraformSource,
      tf_vars,
      terraform_version: z.string().min(1).max(50).describe('null: its own.'),
      tf_var_file_paths,
      cpu,
      memory,
      timeout_sec,
      description,
    }),
  },
  fields: { name: 'New name.', git_repository: '{url, branch, root_path}.', tf_vars: '{key, value, secret}.' },
  folded: ['git_repository', 'tf_vars[]'],
  hidden: ['tf_var_file_paths', 'cpu', 'memory', 'timeout_sec', 'description', 'git_repository.git_token_id'],
  operations: [operations.update_terraform],
  expand: (args, context) => update.expand(asBody(args), context),
  preview: joined(update.preview, otherVariables),
  output: update.output,
  answer: (args, context, answers) => update.answer(asBody(args), context, answers),
  render: update.render,
  next: naming`Nothing is applied yet: ${'plan_terraform'} shows what would be, ${'redeploy_terraform'} applies it.`,
});
