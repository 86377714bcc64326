import { stripVTControlCharacters } from 'node:util';
import type { PlannedChanges } from '../index.ts';
import {
  between,
  colored,
  digest,
  disclaimer,
  type PhaseContext,
  type PhaseResult,
  slug,
  took,
} from './phase-context.ts';

/** Simulates terraform init, plan and apply. */
export function simulateTerraform({ task, random, seconds, commit }: PhaseContext): PhaseResult {
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
    return {
      seconds: service.spec.timeout_sec,
      lines: [...lines.slice(0, -2), colored.red('Error: operation canceled'), failure],
      failure,
    };
  }
  return { seconds, lines: task.isPlan ? lines.slice(0, -3) : lines, counts: { add: 1, change, destroy: 0 } };
}

/** The contents of a simulated plan. */
export function simulatedPlan({ lines, counts }: PhaseResult): PlannedChanges {
  const text = stripVTControlCharacters(lines.slice(-2).join('\n'));
  return { digest: digest(text, 64), text, isShortened: false, ...(counts && { counts }) };
}

const bootLines: Readonly<Record<string, readonly string[]>> = {
  POSTGRESQL: [
    'The files belonging to this database system will be owned by user "postgres".',
    'PostgreSQL init process complete; ready for start up.',
    'LOG:  starting PostgreSQL',
    'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
    'LOG:  database system is ready to accept connections',
  ],
  MYSQL: [
    '[System] [MY-010116] [Server] /usr/sbin/mysqld starting as process 1',
    '[System] [MY-013576] [InnoDB] InnoDB initialization has started.',
    '[System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. port: 3306',
  ],
  MONGODB: [
    '{"s":"I","c":"CONTROL","msg":"MongoDB starting","attr":{"port":27017}}',
    '{"s":"I","c":"NETWORK","msg":"Waiting for connections","attr":{"port":27017}}',
  ],
  REDIS: [
    '1:C oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo',
    '1:M * Running mode=standalone, port=6379.',
    '1:M * Ready to accept connections tcp',
  ],
};

/** Simulates the start of a database, on the cluster or as a managed one. */
export function simulateDatabase({ task, seconds }: PhaseContext): PhaseResult {
  const { service } = task;
  if (service.kind !== 'database') return { seconds, lines: [] };
  const { type, version, mode, storage } = service.spec;
  const hostLines =
    mode === 'MANAGED'
      ? [
          'Requesting a managed instance',
          `Instance db-${digest(service.id, 10)} is creating`,
          `Instance db-${digest(service.id, 10)} is available`,
        ]
      : [`Volume of ${storage} GB bound`, `Started ${slug(service.name)}-0`, ...(bootLines[type] ?? [])];
  return {
    seconds,
    lines: [
      disclaimer,
      `Deploying ${type} ${version} (${mode}), ${storage} GB`,
      ...hostLines,
      ...(task.restoration ? [`Restored the backup ${task.restoration.backup}`] : []),
      colored.green(`${service.name} accepts connections`),
    ],
  };
}

/** Simulates helm upgrade --install of the service's chart. */
export function simulateHelm({ task, seconds, version }: PhaseContext): PhaseResult {
  const { service } = task;
  if (service.kind !== 'helm') return { seconds, lines: [] };
  const release = slug(service.name);
  const chart =
    service.spec.source.repository?.chart_name ?? service.spec.source.git?.git_repository.url ?? service.name;
  const values = service.spec.values_override.file?.raw?.values.map((file) => ` -f ${file.name}`).join('') ?? '';
  const command = `helm upgrade ${release} ${chart} --install --version ${version}${values} --timeout ${service.spec.timeout_sec}s --wait`;
  const lines = [
    disclaimer,
    [command, ...service.spec.arguments].join(' '),
    `history.go:56: [debug] getting history for release ${release}`,
    'upgrade.go:164: [debug] preparing upgrade for release',
    `client.go:393: [debug] checking ${3 + (release.length % 4)} resources for changes`,
    `wait.go:48: [debug] beginning wait for resources with timeout of ${service.spec.timeout_sec}s`,
    `ready.go:304: [debug] Deployment is not ready: ${digest(service.environmentId, 8)}/${release}. 0 out of 1 expected pods are ready`,
  ];
  if (service.spec.timeout_sec < seconds) {
    const failure = `helm was stopped after the service's timeout_sec of ${service.spec.timeout_sec} seconds`;
    return {
      seconds: service.spec.timeout_sec,
      lines: [...lines, colored.red('Error: UPGRADE FAILED: context deadline exceeded'), failure],
      failure,
    };
  }
  return {
    seconds,
    lines: [
      ...lines,
      `Release "${release}" has been upgraded. Happy Helming!`,
      `NAME: ${release}`,
      'STATUS: deployed',
      colored.green('Deployment succeeded'),
    ],
  };
}

/** Simulates one run of a job. */
export function simulateJob({ task, random, seconds, commit }: PhaseContext): PhaseResult {
  const { service } = task;
  if (service.kind !== 'job') return { seconds, lines: [] };
  const { source, job_type, max_duration_seconds, schedule, run_arguments: given } = service.spec;
  const rows = between(random, 120, 9800);
  const lines = [
    disclaimer,
    ...(source.image ? [`Pulled image ${source.image.image_name}:${source.image.tag} in ${took(random, 0.5, 3)}`] : []),
    ...(source.docker
      ? [
          `Built ${source.docker.git_repository.url} at commit ${commit?.git_commit_id.slice(0, 7) ?? 'unknown'} in ${took(random, 5, 12)}`,
        ]
      : []),
    ...(job_type === 'CRON' && schedule?.cronjob
      ? [`Scheduled at "${schedule.cronjob.scheduled_at}" (${schedule.cronjob.timezone}); running once now`]
      : []),
    `${colored.cyan('INFO')} job started${given === undefined ? '' : ` with ${JSON.stringify(given)}`}`,
    `${colored.cyan('INFO')} processing ${rows} rows`,
    `${colored.yellow('WARN')} ${between(random, 1, 9)} rows skipped: already processed`,
  ];
  if (max_duration_seconds < seconds) {
    const failure = `The job was stopped after its max_duration_seconds of ${max_duration_seconds} seconds`;
    return {
      seconds: max_duration_seconds,
      lines: [...lines, colored.red('DeadlineExceeded: job was active longer than specified deadline'), failure],
      failure,
    };
  }
  return {
    seconds,
    lines: [
      ...lines,
      `${colored.cyan('INFO')} ${rows} rows processed in ${took(random, 1, 6)}`,
      colored.green('Job finished with exit code 0'),
    ],
  };
}
