import { isServiceKind } from '../../src/contract/index.ts';
import { compact, isPlatformFailure, isRecord, pruneRecord, type JsonRecord, type NextCall, type ReadUse, type Renderer, type ToolContext } from '../../src/server/tool/index.ts';
import { canServe } from '../../src/analysis/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import { servingById } from './serving.ts';
import { diagnosed, diagnosedIn, proposed } from '../deployment/diagnose-deployment.ts';
import { readsOfDiagnosis } from './diagnosis-evidence.ts';
import { addressesIn, addressesOf, readsOfAddresses, shownAddresses } from './public-addresses.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { otherServicesIn } from './other-kinds.ts';
import type { WaitResult } from './wait-for-end.ts';

/** What may be told beside how a deployment ended; nothing if the platform fails to answer what that takes, and says so. */
const ifPossible = <Told>(context: ToolContext, what: string, tell: () => Promise<Told>): Promise<Told | undefined> =>
  tell().catch((error: unknown) => {
    if (!isPlatformFailure(error)) throw error;
    context.leftOut(`${what} is not said, because the platform failed to answer what that takes (${error.operation}: ${error.reason}).`);
    return undefined;
  });

/** Why a deployment failed; for an environment, why the service that failed last did. */
const diagnosisOf = (context: ToolContext, subject: Subject, deployment?: string): Promise<JsonRecord | undefined> =>
  isServiceKind(subject.kind) ? diagnosed(context, { ...subject, kind: subject.kind }, deployment) : diagnosedIn(context, subject);

/** What explaining a failed deployment reads. */
export const readsToExplain: readonly ReadUse[] = [...readsOfAddresses, ...readsOfDiagnosis].map(({ operation, same }) => ({ operation, same, without: readsOfAddresses.some((use) => use.operation === operation) ? 'public addresses are not shown' : 'a deployment that failed is explained by less, or not at all' }));

/** Whether something runs in the end: what was stopped or deleted is reached nowhere. */
const isUp = ({ state }: WaitResult['status']): boolean => !['STOPPED', 'DELETED'].includes(state ?? '');

/** Where what was deployed is reached: the public addresses of a service, or of an environment's services. */
async function reachedAt(context: ToolContext, subject: Subject): Promise<JsonRecord> {
  if (subject.kind !== 'environment') return shownAddresses(await addressesOf(context, subject));
  const all = await addressesIn(context, subject.id);
  return shownAddresses(all && [...all.values()].flat());
}

/** Which version of a service serves after its deployment, in words. */
async function servesAfter(context: ToolContext, { kind, id }: Subject, status: WaitResult['status']): Promise<string | undefined> {
  if (!isServiceKind(kind) || !canServe(kind)) return undefined;
  const configuration = await readAspect(context, { kind, id }, 'configuration');
  return (await servingById(context, [{ kind, id, status, configuration }])).get(id);
}

/** The services of an environment that no tool acts on, so that its outcome isn't taken for theirs. */
async function notActedOn(context: ToolContext, { kind, id }: Subject, { state }: WaitResult['status']): Promise<readonly string[]> {
  // What is deleted can't be asked any more.
  const others = kind === 'environment' && state !== 'DELETED' ? await otherServicesIn(context, id) : [];
  return others.map(({ name, kind: its, status }) => `${name} (${its}), now ${status?.state ?? 'in a state that is not known'}`);
}

/** The outcome of a deployment that was waited for, with a diagnosis if it failed. */
export async function endAnswer(context: ToolContext, subject: Subject, { outcome, status, waited_seconds }: WaitResult): Promise<JsonRecord> {
  const steps = status.steps?.details?.map((step) => pruneRecord({ ...step }));
  const { kind } = subject;
  const isServing = outcome === 'succeeded' && isUp(status);
  const [diagnosis, others, serves, reached] = await Promise.all([
    outcome === 'failed' ? ifPossible(context, 'Why it failed', () => diagnosisOf(context, subject, status.deployment_request_id ?? undefined)) : undefined,
    ifPossible(context, 'Whether no tool acts on some of its services', () => notActedOn(context, subject, status)),
    isServing ? ifPossible(context, 'Which version serves', () => servesAfter(context, subject, status)) : undefined,
    isServing ? reachedAt(context, subject) : {},
  ]);
  return pruneRecord({
    subject: subject.path ?? subject.name ?? `${kind} ${subject.id}`,
    id: subject.id,
    outcome, state: status.state, deployment_id: status.deployment_request_id, waited_seconds,
    // 0 stands for no total yet.
    total_seconds: outcome === 'running' ? undefined : status.steps?.total_duration_sec,
    serves, took: steps, not_acted_on: others?.length === 0 ? undefined : others, diagnosis,
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

const stepText = (step: JsonRecord): string => `${compact(step['step_name'] ?? 'a step')} ${compact(step['status'] ?? '')}${step['duration_sec'] === undefined ? '' : ` ${compact(step['duration_sec'])} s`}`;

function text(view: JsonRecord): string {
  const { subject, id, outcome, state, deployment_id, waited_seconds, total_seconds, serves, took, not_acted_on, diagnosis, public_addresses: addresses } = view;
  const lines = [
    `${String(subject)} (id ${String(id)}): ${String(state)}. ${state === 'DELETED' && outcome === 'succeeded' ? 'It succeeded: it is gone, and its name is free again.' : (outcomeTexts[outcome as WaitResult['outcome']] ?? `${String(outcome)}.`)} Waited ${String(waited_seconds)} s${total_seconds === undefined ? '' : `, it took ${compact(total_seconds)} s`}.`,
    ...(deployment_id === undefined ? [] : [`Deployment: ${compact(deployment_id)}`]),
    ...(serves === undefined ? [] : [`Serves: ${compact(serves)}`]),
    ...(Array.isArray(took) ? [`Steps: ${took.filter(isRecord).map(stepText).join(', ')}`] : []),
    ...(Array.isArray(not_acted_on) ? [`No tool acts on these services of it, so they may have been passed over: ${not_acted_on.join('; ')}.`] : []),
  ];
  if (addresses !== undefined) lines.push(`Public addresses: ${Array.isArray(addresses) ? addresses.join(', ') : compact(addresses)}`);
  return [...lines, ...(isRecord(diagnosis) ? [diagnosisText(diagnosis)] : [])].join('\n');
}

const render: Renderer = { view: (answer) => answer, text, keep: 'first' };

const next = (view: JsonRecord): readonly NextCall[] => {
  if (isRecord(view['diagnosis'])) return proposed(view['diagnosis']);
  return view['outcome'] === 'failed' && typeof view['id'] === 'string' ? [{ tool: 'diagnose_deployment', arguments: { environment: view['id'] }, why: 'why it failed' }] : [];
};

/** Renderer and next calls of the outcome of a deployment. */
export const endView = { render, next };
