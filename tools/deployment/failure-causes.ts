import {
  isServiceKind,
  joinPath,
  namesIn,
  operations,
  type AnyOperation,
  type ServiceKind,
} from '../../src/contract/index.ts';
import { readDeployment } from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  isRecord,
  pruneRecord,
  recordsIn,
  tableText,
  type JsonRecord,
  type NextCall,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests, eachWithin } from '../shared/allowance.ts';
import { readsByKind, type Subject } from '../shared/any-service.ts';
import { gather, readsOfDiagnosis } from '../shared/diagnosis-evidence.ts';
import { causeInShort } from '../shared/diagnosis-text.ts';
import type { FoundDeployment } from '../shared/found-deployments.ts';
import { someNames } from '../shared/places.ts';

/** Maximum number of failed services of one answer whose cause is looked for. */
export const mostCauses = 5;

/** Number of requests that a diagnosis usually takes at most. */
const requestsPerCause = 8;

const ofHistories: readonly AnyOperation[] = readsByKind('deployments', '').map(({ operation }) => operation);

/** The reads that look for causes, besides those of histories. */
export const readsOfCauses: readonly ReadUse[] = readsOfDiagnosis.filter(
  ({ operation }) => !ofHistories.includes(operation) && operation !== operations.list_environment_deployments,
);

/** Whether a search is for deployments that failed: their causes are what is wanted. */
export const isAboutFailures = (state: string | undefined): boolean => /FAIL|ERR/i.test(state ?? '');

/** A service of a failed deployment. Its kind is unknown if no tool diagnoses it. */
interface FailedService {
  readonly subject: Omit<Subject, 'kind'> & { readonly kind?: ServiceKind };
  readonly deployment?: string;
  readonly at?: string;
}

const isBad = ({ status }: { readonly status?: string | null }): boolean => status?.endsWith('ERROR') ?? false;

const kindOf = (type: string | null | undefined): ServiceKind | undefined => {
  const kind = type?.toLowerCase() ?? '';
  return isServiceKind(kind) ? kind : undefined;
};

/** The services that failed in a deployment; of an environment whose history lists no services, the environment. */
function failedIn({ subject, item }: FoundDeployment): readonly FailedService[] {
  const { id: deployment, startedAt: at } = readDeployment(item);
  if (subject.kind !== 'environment') return [{ subject: { ...subject, kind: subject.kind }, deployment, at }];
  const failed = (item.services ?? []).filter(isBad);
  if (failed.length === 0) return isBad(item) ? [{ subject: { ...subject, kind: undefined }, deployment, at }] : [];
  const { path, id: environmentId, projectId } = subject;
  return failed.flatMap(({ service_id: id, name, service_type: type }) =>
    id
      ? [
          {
            subject: {
              kind: kindOf(type),
              id,
              name: name ?? id,
              path: joinPath([...(path === undefined ? [] : namesIn(path)), name ?? id]),
              environmentId,
              projectId,
            },
            deployment,
            at,
          },
        ]
      : [],
  );
}

/** The newest failed deployment of each service, newest first. */
const newestOfEach = (found: readonly FoundDeployment[]): readonly FailedService[] => {
  const all = found.flatMap(failedIn);
  const ids = all.map(({ subject }) => subject.id);
  return all.filter(({ subject }, index) => ids.indexOf(subject.id) === index);
};

/** The call that looks for the cause of what this answer doesn't know it of. */
function lookingInto({ subject: { kind, id, environmentId }, deployment }: FailedService): NextCall {
  const where = kind === undefined ? { environment: environmentId ?? id } : { service: id, deployment_id: deployment };
  return { tool: 'diagnose_deployment', arguments: pruneRecord(where), why: 'why it failed' };
}

const factsOf = ({ subject: { kind, id, path }, deployment, at }: FailedService): JsonRecord => ({
  service: path ?? id,
  kind,
  service_id: id,
  at,
  deployment_id: deployment,
});

const notLooked = (one: FailedService, reason: string): JsonRecord =>
  pruneRecord({ ...factsOf(one), not_known: reason, next: [lookingInto(one)] });

/** Diagnoses the deployment; the service's newest failure where its own history names deployments otherwise. */
async function diagnosisOf(context: ToolContext, subject: Subject & { kind: ServiceKind }, deployment?: string) {
  const { diagnose } = await import('../../src/analysis/diagnosis/diagnose.ts');
  const diagnosis = diagnose(await gather(context, subject, deployment));
  return deployment !== undefined && diagnosis.outcome === 'never_deployed'
    ? diagnose(await gather(context, subject))
    : diagnosis;
}

async function causeOf(context: ToolContext, one: FailedService): Promise<JsonRecord> {
  const { subject, deployment } = one;
  const { kind } = subject;
  if (kind === undefined) return notLooked(one, 'the history does not name a service that can be diagnosed');
  const notes: string[] = [];
  // What one diagnosis lacks belongs to its row, and no argument of the call names its service.
  const own: ToolContext = { ...context, resolved: {}, leftOut: (note) => void notes.push(note) };
  try {
    const { outcome, cause, lines, since, stopped, next } = await diagnosisOf(own, { ...subject, kind }, deployment);
    if (outcome !== 'failed') return notLooked(one, 'the history of the service has no such failure');
    const [call] = since ? [] : next;
    return pruneRecord({
      ...factsOf(one),
      cause: cause.code,
      confidence: cause.confidence,
      ...causeInShort({ cause, lines }),
      over_since: since?.at,
      stopped: stopped?.at,
      ...(notes.length > 0 && { lacks: notes.join(' ') }),
      ...(call && { next: [call] }),
    });
  } catch (error) {
    if (!isPlatformFailure(error)) throw error;
    return notLooked(one, `the platform failed to answer ${error.operation}: ${error.reason}`);
  }
}

/**
 * Why deployments failed: the newest failure of each service, of a few services. What could not be looked into is said
 * row by row.
 * @param found newest first
 */
export async function failureCauses(context: ToolContext, found: readonly FoundDeployment[]): Promise<JsonRecord> {
  const all = newestOfEach(found);
  const chosen = all.slice(0, mostCauses);
  if (chosen.length === 0) return {};
  const allowance = { remainingRequests: allowedRequests(context) };
  const looked = await eachWithin(chosen, allowance, (one) => causeOf(context, one), { cost: requestsPerCause });
  const others = all.slice(mostCauses).map(({ subject: { id, path = id } }) => path);
  return {
    causes: [...looked, ...chosen.slice(looked.length).map((one) => notLooked(one, 'not looked, to spare requests'))],
    failed_services: all.length,
    ...(others.length > 0 && { without_cause: someNames(others) }),
  };
}

const columns = [
  'service',
  'kind',
  'service_id',
  'at',
  'cause',
  'confidence',
  'sentence',
  'line',
  'over_since',
  'stopped',
];

/** The causes as text. */
export function causesText({ causes, failed_services: all, without_cause: others }: JsonRecord): readonly string[] {
  const rows = recordsIn(causes);
  if (rows.length === 0) return [];
  return [
    `Why the newest failed deployment of each service failed (${rows.length} of ${String(all)} services):`,
    tableText(rows, [...columns, 'not_known', 'lacks']),
    ...(typeof others === 'string'
      ? [
          `Not looked into: ${others}. One answer has at most ${mostCauses} causes; pages of page_size ${mostCauses} have those of all.`,
        ]
      : []),
  ];
}

/** The call that each row of causes leads to. */
export const callsOfCauses = ({ causes }: JsonRecord): readonly NextCall[] =>
  recordsIn(causes).flatMap(({ next }) =>
    recordsIn(next)
      .filter(isRecord)
      .slice(0, 1)
      .map((call) => call as unknown as NextCall),
  );

/** The members of an answer that tell of causes. */
export const membersOfCauses = ['causes', 'failed_services', 'without_cause'];
