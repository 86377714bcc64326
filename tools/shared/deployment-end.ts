import { isDown, isServiceKind, operations } from '../../src/contract/index.ts';
import { canServe, runStepIn, shortCommit, versionSourceOf } from '../../src/analysis/index.ts';
import {
  compact,
  isRecord,
  pruneRecord,
  recordsIn,
  withoutFigures,
  type JsonRecord,
  type NextCall,
  type ReadUse,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import { runOfCronJob, runsInEnvironment } from './deployed-jobs.ts';
import { servingNow } from './serving.ts';
import { diagnosed, diagnosedIn, proposed } from '../deployment/diagnose-deployment.ts';
import { readsOfDiagnosis } from './diagnosis-evidence.ts';
import { addressesOf, reachedIn, readsOfAddresses, shownAddresses } from './public-addresses.ts';
import { ifPossible } from './if-possible.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { otherServicesIn } from './other-kinds.ts';
import { isDeployed } from './started-facts.ts';
import type { WaitResult } from './wait-for-end.ts';

/** Diagnoses why a deployment failed; for an environment, why its most recently failed service did. */
async function diagnosisOf(
  context: ToolContext,
  subject: Subject,
  deployment?: string,
): Promise<JsonRecord | undefined> {
  const diagnosis = isServiceKind(subject.kind)
    ? await diagnosed(context, { ...subject, kind: subject.kind }, deployment)
    : await diagnosedIn(context, subject);
  return diagnosis && withoutFigures(diagnosis);
}

/** The reads for the explanation of a failed deployment. */
export const readsToExplain: readonly ReadUse[] = [...readsOfAddresses, ...readsOfDiagnosis].map(
  ({ operation, same }) => ({
    operation,
    same,
    without:
      readsOfAddresses.find((use) => use.operation === operation)?.without ??
      'a deployment that failed is explained by less, or not at all',
  }),
);

/**
 * Returns a function that checks whether a service of an environment is up, or may be: services that were never
 * deployed, or are stopped, have no reachable address.
 */
async function isUpIn(context: ToolContext, environment_id: string): Promise<(service: string) => boolean> {
  const statuses = await context.attempt(operations.get_environment_status, { environment_id });
  const down = Object.values((statuses ?? {}) as JsonRecord)
    .flatMap((rows) => recordsIn(rows))
    .flatMap((row) => (isDown(String(row['state'])) ? [row['id']] : []));
  return (service) => !down.includes(service);
}

/** The addresses of a deployment: the public addresses of a service, or of the deployed services of an environment. */
async function reachedAt(context: ToolContext, subject: Subject): Promise<JsonRecord> {
  if (subject.kind !== 'environment') return shownAddresses(await addressesOf(context, subject));
  return shownAddresses(
    await reachedIn(context, subject.id, isDeployed(context) ?? (await isUpIn(context, subject.id))),
  );
}

/** The deployed commit of a job or Terraform service; for serving kinds, the serving version shows it. */
async function commitOf(context: ToolContext, { kind, id }: Subject): Promise<string | undefined> {
  if (!isServiceKind(kind) || canServe(kind)) return undefined;
  const source = versionSourceOf(kind, await readAspect(context, { kind, id }, 'configuration'));
  return source?.by === 'commit' && source.deployed !== undefined
    ? `${shortCommit(source.deployed)}${source.branch === undefined ? '' : ` of branch ${source.branch}`}`
    : undefined;
}

/** The services of an environment on which no tool acts, so that its outcome isn't mistaken for theirs. */
async function notActedOn(
  context: ToolContext,
  { kind, id }: Subject,
  { state }: WaitResult['status'],
): Promise<readonly string[]> {
  // A deleted environment can't be queried any more.
  const others = kind === 'environment' && state !== 'DELETED' ? await otherServicesIn(context, id) : [];
  return others.map(
    ({ name, kind: its, status }) => `${name} (${its}), now ${status?.state ?? 'in a state that is not known'}`,
  );
}

/** The outcome of a deployment after a wait, with a diagnosis if it failed. */
export async function endAnswer(
  context: ToolContext,
  subject: Subject,
  { outcome, status, waited_seconds }: WaitResult,
): Promise<JsonRecord> {
  const steps = status.steps?.details?.map((step) => pruneRecord({ ...step }));
  const { kind } = subject;
  const isServing = outcome === 'succeeded' && !isDown(status.state ?? '');
  const [diagnosis, others, serves, commit, job, jobs, reached] = await Promise.all([
    outcome === 'failed'
      ? ifPossible(context, 'Why it failed', () =>
          diagnosisOf(context, subject, status.deployment_request_id ?? undefined),
        )
      : undefined,
    ifPossible(context, 'Whether no tool acts on some of its services', () => notActedOn(context, subject, status)),
    isServing ? ifPossible(context, 'Which version serves', () => servingNow(context, subject, status)) : undefined,
    isServing ? ifPossible(context, 'Which commit was deployed', () => commitOf(context, subject)) : undefined,
    isServing ? ifPossible(context, 'Whether it ran now', () => runOfCronJob(context, subject, status)) : undefined,
    isServing
      ? ifPossible(context, 'Whether jobs ran now', () => runsInEnvironment(context, subject, status))
      : undefined,
    isServing ? reachedAt(context, subject) : {},
  ]);
  return pruneRecord({
    subject: subject.path ?? subject.name ?? `${kind} ${subject.id}`,
    id: subject.id,
    outcome,
    state: status.state,
    deployment_id: status.deployment_request_id,
    waited_seconds,
    // 0 means no total yet.
    total_seconds: outcome === 'running' ? undefined : status.steps?.total_duration_sec,
    serves,
    commit,
    job,
    jobs,
    ran_job: kind === 'job' && isServing && runStepIn(status.steps?.details) ? true : undefined,
    took: steps,
    not_acted_on: others?.length === 0 ? undefined : others,
    diagnosis,
    ...reached,
  });
}

const outcomeTexts: Readonly<Record<WaitResult['outcome'], string>> = {
  succeeded: 'It succeeded.',
  failed: 'It failed.',
  canceled: 'It was canceled.',
  superseded: 'A later deployment took its place; this is the state of that one.',
  running: 'It has not ended yet.',
  not_seen: 'The platform shows no such deployment, only this state from before; the history shows which there are.',
  never_deployed: 'It was never deployed, so there is nothing to wait for.',
};

/** What a wait says that found nothing in progress: its result is no news. */
const atRestText = (outcome: unknown, last: unknown, took: string): string =>
  `Nothing was in progress: its last deployment ${outcome === 'canceled' ? 'was canceled' : String(outcome)}${last === true ? '' : ` at ${compact(last)}`}${took}.`;

const endText = ({ state, outcome, waited_seconds, total_seconds, at_rest }: JsonRecord): string => {
  const took = total_seconds === undefined ? '' : `, it took ${compact(total_seconds)} s`;
  if (at_rest !== undefined) return atRestText(outcome, at_rest, took);
  const end =
    state === 'DELETED' && outcome === 'succeeded'
      ? 'It succeeded: it is gone, and its name is free again.'
      : (outcomeTexts[outcome as WaitResult['outcome']] ?? `${String(outcome)}.`);
  return `${end} Waited ${String(waited_seconds)} s${took}.`;
};

const stepText = (step: JsonRecord): string =>
  `${compact(step['step_name'] ?? 'a step')} ${compact(step['status'] ?? '')}${step['duration_sec'] === undefined ? '' : ` ${compact(step['duration_sec'])} s`}`;

function text(view: JsonRecord): string {
  const {
    subject,
    id,
    state,
    deployment_id,
    serves,
    commit,
    job,
    jobs,
    took,
    not_acted_on,
    diagnosis,
    public_addresses: addresses,
  } = view;
  const lines = [
    `${String(subject)} (id ${String(id)}): ${String(state)}. ${endText(view)}`,
    ...(deployment_id === undefined ? [] : [`Deployment: ${compact(deployment_id)}`]),
    ...(serves === undefined ? [] : [`Serves: ${compact(serves)}`]),
    ...(commit === undefined ? [] : [`Commit: ${compact(commit)}`]),
    ...(job === undefined ? [] : [`Job: ${compact(job)}`]),
    ...(Array.isArray(jobs) ? jobs.map((told) => `Job ${compact(told)}`) : []),
    ...(Array.isArray(took) ? [`Steps: ${took.filter(isRecord).map(stepText).join(', ')}`] : []),
    ...(Array.isArray(not_acted_on)
      ? [`No tool acts on these services of it, so they may have been passed over: ${not_acted_on.join('; ')}.`]
      : []),
  ];
  if (addresses !== undefined)
    lines.push(`Public addresses: ${Array.isArray(addresses) ? addresses.join(', ') : compact(addresses)}`);
  return [...lines, ...(isRecord(diagnosis) ? [diagnosisText(diagnosis)] : [])].join('\n');
}

const render: Renderer = { view: (answer) => answer, text, keep: 'first' };

const next = (view: JsonRecord): readonly NextCall[] => {
  if (isRecord(view['diagnosis'])) return proposed(view['diagnosis']);
  if (view['ran_job'] === true && typeof view['id'] === 'string')
    return [
      {
        tool: 'search_logs',
        arguments: { service: view['id'], level: 'debug' },
        why: 'what the run wrote, and its exit code if it is told',
      },
    ];
  return view['outcome'] === 'failed' && typeof view['id'] === 'string'
    ? [{ tool: 'diagnose_deployment', arguments: { environment: view['id'] }, why: 'why it failed' }]
    : [];
};

/** Renderer and next calls of the outcome of a deployment. */
export const endView = { render, next };
