import * as z from 'zod';
import { operations, reference, TerraformRequest, TerraformSource } from '../../src/contract/index.ts';
import {
  composeTool,
  isRecord,
  naming,
  nothingWouldChange,
  notKnown,
  omit,
  partialShape,
  partialUpdate,
  pick,
  reading,
  readUses,
  readVariableList,
  recordsIn,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

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

const prefix = 'TF_VAR_';

/** The names of the Terraform variables that the service has as variables of its own; undefined if it isn't known. */
async function ownNames(id: string, reader: Pick<ToolContext, 'attempt'>): Promise<readonly string[] | undefined> {
  const lists = await Promise.all(
    (['variables', 'secrets'] as const).map((listing) => readVariableList(listing, { kind: 'terraform', id }, reader)),
  );
  if (lists.includes(undefined)) return undefined;
  return lists
    .flatMap(rowsIn)
    .filter(({ scope }) => scope === 'TERRAFORM')
    .flatMap((row) => textOf(row, 'key') ?? [])
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
}

const isSame = (one: JsonRecord, other: JsonRecord): boolean =>
  one['key'] === other['key'] &&
  one['value'] === other['value'] &&
  (one['secret'] === true) === (other['secret'] === true);

const named = (keys: readonly string[]): string => keys.map(show).join(', ');

const keysOf = (rows: readonly JsonRecord[]): readonly string[] => rows.map(({ key }) => String(key));

/** What becomes of each variable: those that are given, and those that aren't. */
async function variableLines(
  id: string,
  present: JsonRecord,
  sent: readonly JsonRecord[],
  reader: Pick<ToolContext, 'attempt'>,
): Promise<readonly string[]> {
  const shown = variablesOf(present);
  const given = sent.filter((row) => !shown.some((one) => isSame(one, row)));
  const removed = shown.filter((row) => isReadable(row) && !keysOf(sent).includes(String(row['key'])));
  const unsent = keysOf(shown.filter((row) => !isReadable(row))).filter((key) => !keysOf(sent).includes(key));
  const own = given.length > 0 ? await ownNames(id, reader) : [];
  const known = [...keysOf(shown), ...(own ?? [])];
  const stay = (own ?? []).filter((key) => !keysOf([...sent, ...shown]).includes(key));
  const member = 'terraform_variables_source.tf_vars';
  return [
    ...given.map((row) => `${member}: ${known.includes(String(row['key'])) ? 'replaces' : 'adds'} ${show(row)}`),
    ...removed.map((row) => `${member}: removes ${show(row)}`),
    ...(own === undefined ? [notKnown('which of these variables the service has already, and this replaces')] : []),
    ...(stay.length > 0 ? [`Not given: ${named(stay)}. They are variables of the service, and stay as they are.`] : []),
    ...(unsent.length > 0
      ? [
          `Variables whose values can not be read, and so are not sent: ${named(unsent)}. Where the platform doesn't keep them, they are lost: give them again.`,
        ]
      : []),
  ];
}

/** The changes of a request: those of its variables apart, because a platform may not show which there are. */
const effect: Preview = reading(
  (planned) => [
    ...(update.preview.reads?.(planned) ?? []),
    ...readUses('the plan does not tell which variables are replaced', operations.list_variables),
    ...readUses('the plan does not tell which variables can not be sent back', operations.get_terraform),
  ],
  async (input, context) => {
    const { terraform_id: id, terraform_variables_source: source } = input;
    const present: JsonRecord | undefined = await context.reader.attempt(operations.get_terraform, {
      terraform_id: String(id),
    });
    if (!present || !isRecord(source)) return update.preview(input, context);
    const lines = await variableLines(String(id), present, recordsIn(source['tf_vars']), context.reader);
    const unchanged = { ...source, tf_vars: variablesOf(present).filter(isReadable) };
    const others = await update.preview({ ...input, terraform_variables_source: unchanged }, context);
    return [...(lines.length > 0 ? others.filter((line) => line !== nothingWouldChange) : others), ...lines];
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
  preview: effect,
  output: update.output,
  answer: (args, context, answers) => update.answer(asBody(args), context, answers),
  render: update.render,
  next: naming`Nothing is applied yet: ${'plan_terraform'} shows what would be, ${'redeploy_terraform'} applies it.`,
});
