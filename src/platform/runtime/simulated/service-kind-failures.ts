import { componentLogLine, clusterEvent } from './pod-failures.ts';
import { simulateHelm, simulateTerraform } from './service-kinds.ts';
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
import type { ChartFacts, Release } from './simulation-context.ts';

type Migration = NonNullable<Release['migration']>;

/** Formats a time like Terraform. */
const goTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '000 +0000 UTC');

const uuid = (text: string): string => digest(text, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Simulates Terraform failing to acquire the lock of its state. */
export function simulateStateLock(context: PhaseContext, path: string, who: string, since: number): PhaseResult {
  const failure = 'terraform could not acquire the state lock';
  const good = simulateTerraform(context).lines;
  const before = good.findIndex((line) => line.startsWith('Acquiring state lock'));
  return {
    seconds: context.seconds,
    lines: [
      ...good.slice(0, before),
      `${colored.yellow('╷')}\n${colored.yellow('│')} ${colored.yellow('Warning:')} Deprecated attribute\n${colored.yellow('│')} \n${colored.yellow('│')}   on outputs.tf line 12, in output "bucket_region":\n${colored.yellow('│')} The attribute "region" is deprecated. Refer to the provider documentation for details.\n${colored.yellow('╵')}`,
      'Acquiring state lock. This may take a few moments...',
      [
        colored.red('╷'),
        `${colored.red('│')} ${colored.red('Error:')} ${colored.bold('Error acquiring the state lock')}`,
        '│ ',
        '│ Error message: operation error S3: PutObject, https response error StatusCode: 412, RequestID: ' +
          digest(`${context.task.deploymentId}/request`, 16).toUpperCase() +
          ', api error PreconditionFailed: At least one of the pre-conditions you specified did not hold',
        '│ Lock Info:',
        `│   ID:        ${uuid(`${path}/${since}`)}`,
        `│   Path:      ${path}`,
        '│   Operation: OperationTypePlan',
        `│   Who:       ${who}`,
        '│   Version:   1.11.4',
        `│   Created:   ${goTime(since)}`,
        '│   Info:      ',
        '│ ',
        '│ ',
        '│ Terraform acquires a state lock to protect the state from being written',
        '│ by multiple users at the same time. Please resolve the issue above and try',
        '│ again. For most commands, you can disable locking with the "-lock=false"',
        '│ flag, but this is not recommended.',
        colored.red('╵'),
      ].join('\n'),
      'terraform exited with code 1',
    ],
    failure,
  };
}

/** Simulates a migration that finds its table locked. */
export function simulateTableLock(context: PhaseContext, migration: Migration): PhaseResult {
  const { table, steps } = migration;
  const { random, version } = context;
  const process = between(random, 900, 4200);
  const holder = process - between(random, 3, 90);
  const relation = between(random, 16_000, 24_000);
  const failure = 'The job ended with exit code 1';
  return {
    seconds: context.seconds + 30,
    lines: [
      ...migrationLines(context, migration),
      `LOG:  process ${process} still waiting for AccessExclusiveLock on relation ${relation} of database 16402 after 1000.${between(random, 100, 999)} ms\nDETAIL:  Process holding the lock: ${holder}. Wait queue: ${process}.\nSTATEMENT:  ALTER TABLE ${table} ADD COLUMN settled_at timestamptz;`,
      `${colored.yellow('WARN')} ${steps.at(-1)} has been running for 10s`,
      `${colored.yellow('WARN')} ${steps.at(-1)} has been running for 20s`,
      `ERROR:  canceling statement due to lock timeout\nSTATEMENT:  ALTER TABLE ${table} ADD COLUMN settled_at timestamptz;`,
      `migrate: error: ${steps.at(-1)} failed, transaction rolled back (SQLSTATE 55P03)`,
      `${colored.cyan('INFO')} schema is unchanged; target was ${version}`,
      clusterEvent(
        'Warning',
        'BackoffLimitExceeded',
        '0s',
        'job-controller',
        'Job has reached the specified backoff limit',
      ),
      failure,
    ],
    failure,
  };
}

const migrationLines = ({ task, version, random }: PhaseContext, { database, steps }: Migration): string[] => [
  disclaimer,
  `Pulled image ${task.service.kind === 'job' ? (task.service.spec.source.image?.image_name ?? '') : ''}:${version} in ${took(random, 0.5, 3)}`,
  `${colored.cyan('INFO')} connected to ${database}:5432, server 16.6`,
  `${colored.yellow('WARN')} collation version mismatch: created with 2.36, system provides 2.41; ALTER DATABASE ... REFRESH COLLATION VERSION is due`,
  `${colored.cyan('INFO')} ${steps.length} pending: ${steps.join(', ')}`,
  ...steps.slice(0, -1).map((step) => `${colored.cyan('INFO')} ${step} ... ok (${between(random, 12, 900)} ms)`),
  `${colored.cyan('INFO')} ${steps.at(-1)} ...`,
];

/** Simulates a successful migration. */
export const simulateMigration = (context: PhaseContext, migration: Migration): PhaseResult => ({
  seconds: context.seconds,
  lines: [
    ...migrationLines(context, migration),
    `${colored.cyan('INFO')} ${migration.steps.at(-1)} ... ok (${between(context.random, 200, 900)} ms)`,
    colored.green(`Schema is at ${context.version}. Job finished with exit code 0`),
  ],
});

/** Simulates Helm failing to find the chart. */
export function simulateUnknownChart(context: PhaseContext): PhaseResult {
  const { service } = context.task;
  const chart = service.kind === 'helm' ? service.spec.source.repository : undefined;
  const good = simulateHelm({ ...context, seconds: 0 }).lines;
  const failure = 'helm did not find the chart';
  return {
    seconds: 3 + context.random.number() * 3,
    lines: [
      ...good.slice(0, 2),
      `Hang tight while we grab the latest from your chart repositories...\n...Successfully got an update from the chart repository\nUpdate Complete.`,
      colored.red(
        chart
          ? `Error: chart "${chart.chart_name}" version "${chart.chart_version}" not found in its repository`
          : 'Error: the source has no chart',
      ),
      'helm exited with code 1. The previous release keeps running.',
    ],
    failure,
  };
}

/** Simulates Helm timing out before the pods become ready. */
export function simulateChartTimeout(context: PhaseContext, { progressLines }: ChartFacts): PhaseResult {
  const { service } = context.task;
  const timeout = service.kind === 'helm' ? service.spec.timeout_sec : 0;
  const good = simulateHelm({ ...context, seconds: 0 }).lines;
  const release = slug(service.name);
  const isAtomic = service.kind === 'helm' && service.spec.arguments.includes('--atomic');
  const rolledBack = isAtomic ? `release ${release} failed, and has been rolled back due to atomic being set: ` : '';
  const failure = `helm gave up after ${timeout}s`;
  return {
    seconds: timeout,
    lines: [
      ...good.slice(0, -4),
      componentLogLine(
        'W',
        context.task.beganAt + 2019,
        'warnings.go:70',
        'unknown field "spec.template.spec.containers[0].resources.limit"',
      ),
      ...progressLines.flatMap((line) => [
        line,
        `ready.go:304: [debug] StatefulSet is not ready: ${digest(service.environmentId, 8)}/${release}. 0 out of 3 expected pods are ready`,
      ]),
      `wait.go:66: [debug] wait for resources failed after ${Math.floor(timeout / 60)}m${timeout % 60}s: context deadline exceeded`,
      colored.red(`Error: UPGRADE FAILED: ${rolledBack}timed out waiting for the condition`),
      [
        `helm.go:86: [debug] ${rolledBack}timed out waiting for the condition`,
        'helm.sh/helm/v3/pkg/action.(*Upgrade).failRelease',
        '\thelm.sh/helm/v3/pkg/action/upgrade.go:496',
        'runtime.goexit',
        '\truntime/asm_amd64.s:1700',
      ].join('\n'),
      'helm exited with code 1. The previous release keeps running.',
    ],
    failure,
  };
}
