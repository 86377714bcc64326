import type { ResolvedVariable, ServiceToRun, Task } from '../../index.ts';
import { autoDeployRefusal, deploysByItself, sourceOf, sourceRefusal } from '../builds/service-source.ts';
import { readRecord } from '../record.ts';
import { containerPaths, terraformScript } from './script.ts';
import type { TerraformSettings } from './settings.ts';

type Terraform = Extract<ServiceToRun, { kind: 'terraform' }>;

/** The id of the storage with the working directory of a Terraform service. */
export const terraformStorage = 'terraform';

/** How long Terraform may take to finish its current operation when it is stopped, in seconds. */
const stopSeconds = 120;

const fileOptions = ({ spec }: Terraform): readonly string[] =>
  spec.terraform_variables_source.tf_var_file_paths.map((path) => `-var-file=${path}`);

/** Returns the mode of a run: plan, apply the plan of its record, or destroy what the service has created. */
export const modeOf = ({ isPlan, action }: Pick<Task, 'isPlan' | 'action'>): 'plan' | 'apply' | 'destroy' =>
  isPlan ? 'plan' : action === 'DELETE' ? 'destroy' : 'apply';

/**
 * Converts a run of Terraform to the input of an engine spec.
 * @throws Error if the image's entrypoint is anything but one program
 */
export function terraformWorkload(service: Terraform, task: Task) {
  const {
    id,
    name,
    environmentId,
    spec: { cpu, memory },
  } = service;
  const record = readRecord(task.record);
  const [program, ...more] = record?.entrypoint ?? [];
  if (program === undefined || more.length > 0)
    throw new Error(
      'The image for Terraform has to start the program itself, without arguments (ENTRYPOINT): the operator of the platform configures another one with "terraform" in the clusters file.',
    );
  return {
    id,
    name,
    environmentId,
    cpu,
    memory,
    healthchecks: {},
    ports: [],
    instances: 1,
    stopSeconds,
    entrypoint: '/bin/sh',
    arguments: [
      containerPaths.script,
      modeOf(task),
      task.deploymentId,
      sourceOf(task).root,
      record?.plan?.digest ?? '',
      program,
      ...fileOptions(service),
    ],
    storage: [{ id: terraformStorage, type: 'FAST_SSD' as const, size: 1, mount_point: containerPaths.kept }],
  };
}

/** Variables that disable prompts and update checks of Terraform. */
const settings: Readonly<Record<string, string>> = {
  TF_IN_AUTOMATION: 'true',
  TF_INPUT: 'false',
  CHECKPOINT_DISABLE: 'true',
};

/** Returns the variables and files of a run: those of the service, and the platform's own. */
export const terraformVariables = (variables: readonly ResolvedVariable[]): readonly ResolvedVariable[] => [
  ...Object.entries(settings)
    .filter(([name]) => !variables.some(({ key }) => key === name))
    .map(([key, value]) => ({ key, value, isSecret: false })),
  ...variables,
  { key: 'SCRIPT', value: terraformScript, isSecret: false, mountPath: containerPaths.script },
];

/** The image of a commit contains Terraform, and the repository at the path that the script reads. */
export const terraformDockerfile = ({ image }: TerraformSettings): string =>
  `FROM ${image}\nCOPY source ${containerPaths.source}\n`;

/** The rules for Terraform services: configurations that this runtime doesn't support, and what to do instead. */
const rules: readonly { readonly isBroken: (spec: Terraform['spec']) => boolean; readonly why: string }[] = [
  { isBroken: deploysByItself, why: autoDeployRefusal },
  {
    isBroken: ({ provider_version: { explicit_version: version } }) => version !== undefined,
    why: 'The version of Terraform is that of the image which the cluster names: leave out "explicit_version".',
  },
];

/** Returns why Terraform can't be run; undefined if it can. @param terraform absent if it is not configured */
export function terraformRefusal(
  spec: Terraform['spec'],
  terraform: TerraformSettings | undefined,
): string | undefined {
  if (terraform === undefined)
    return 'Terraform is not switched on for this cluster: the operator of the platform configures an image for it, with "terraform" in the clusters file.';
  return rules.find(({ isBroken }) => isBroken(spec))?.why ?? sourceRefusal({ kind: 'terraform', spec });
}
