import { between, colored, digest, disclaimer, type Scene, type Script } from './script.ts';

/** terraform init, plan and apply. */
export function terraformScript({ task, random, seconds, commit }: Scene): Script {
  const { service } = task;
  if (service.kind !== 'terraform') return { seconds, lines: [] };
  const { url, root_path: root = '/' } = service.spec.terraform_files_source.git.git_repository;
  const bucket = digest(service.id, 8);
  const change = between(random, 0, 2);
  const lines = [
    disclaimer,
    `Cloning ${url}, directory ${root}, commit ${commit?.git_commit_id.slice(0, 7) ?? 'unknown'}`,
    colored.bold('Initializing the backend...'),
    colored.bold('Initializing provider plugins...'),
    '- Reusing previous version of hashicorp/random from the dependency lock file',
    colored.green('Terraform has been successfully initialized!'),
    'Acquiring state lock. This may take a few moments...',
    'random_id.suffix: Refreshing state... [id=' + digest(bucket, 6) + ']',
    'Terraform used the selected providers to generate the following execution plan.',
    `  ${colored.green('+')} resource "object_storage_bucket" "assets" {\n      ${colored.green('+')} name    = "assets-${bucket}"\n      ${colored.green('+')} version = (known after apply)\n    }`,
    `${colored.bold('Plan:')} 1 to add, ${change} to change, 0 to destroy.`,
    'object_storage_bucket.assets: Creating...',
    `object_storage_bucket.assets: Creation complete after ${between(random, 1, 4)}s [id=assets-${bucket}]`,
    colored.green(`Apply complete! Resources: 1 added, ${change} changed, 0 destroyed.`),
  ];
  if (service.spec.timeout_sec < seconds) {
    const failure = `terraform was stopped after the service's timeout_sec of ${service.spec.timeout_sec} seconds`;
    return { seconds: service.spec.timeout_sec, lines: [...lines.slice(0, -2), colored.red('Error: operation canceled'), failure], failure };
  }
  return { seconds, lines };
}
