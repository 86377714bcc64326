import { setTimeout as delay } from 'node:timers/promises';
import { condition, type Condition, onMachines } from '../../../../contract/index.ts';
import { meetingFault } from '../../../common/index.ts';
import {
  ConditionError,
  conditionLine,
  type Observation,
  type RuntimeCall,
  type Task,
  type TaskInputs,
  toldLine,
  whyFailed,
  type Say,
} from '../../index.ts';
import type { DockerContext, OwnObjects, RegistryAccess } from '../docker-context.ts';
import { isDockerAway } from '../api/index.ts';
import { deleteUnusedFiles } from '../services/mounted-files.ts';
import { abandonRollOut } from '../services/roll-out.ts';
import { findDockerService } from '../services/services-of-ours.ts';
import { versionShown } from '../version.ts';
import { certificateProblem } from './certificate-problem.ts';
import { askRoute, type PublicAnswer } from './answer-check.ts';
import type { ProxyPlace } from './proxy-places.ts';
import { addressOf, type Route, servedRoutesOf } from './routes.ts';

/**
 * How long an address may take to answer, in milliseconds. The proxy itself tries to find an instance for five seconds
 * before it reports that there is none.
 */
const answerMilliseconds = 8000;
/**
 * How long to try an address that can't be reached from this process at all, in milliseconds: the engine may be
 * elsewhere.
 */
const reachMilliseconds = 5000;
const pollMilliseconds = 250;

const keyOf = ({ deploymentId, service }: Task): string => `route/${deploymentId}/${service.id}`;

/** Requests an address on one machine until it answers. @returns the last answer */
async function untilAnswered(
  { proxy, clock }: Pick<DockerContext, 'proxy' | 'clock'>,
  { docker }: ProxyPlace,
  route: Route,
  signal: AbortSignal,
): Promise<PublicAnswer> {
  const began = clock.now();
  for (;;) {
    // In sequence: each attempt follows the previous one.
    const answer = await askRoute(route, proxy.settings, docker.address, signal);
    if (answer === 'answered' || clock.now() - began > (answer === 'no proxy' ? reachMilliseconds : answerMilliseconds))
      return answer;
    await delay(pollMilliseconds, undefined, { signal });
  }
}

/** Returns the log entry for an address. @param on the machines that it applies to; none if there is only one */
type Told = (on: string[]) => Condition | string;

/** Returns the log entry for an answer. @throws ConditionError if the service doesn't answer at the address */
function reportedAnswer({ port }: Route, url: string, answer: PublicAnswer): Told {
  if (answer === 'answered') return (on) => `${url} answers${onMachines(on)}`;
  if (answer === 'no instance') throw new ConditionError(condition('ADDRESS_WITHOUT_INSTANCE', { url, port }));
  if (answer === 'no route') throw new ConditionError(condition('ADDRESS_WITHOUT_ROUTE', { url }));
  const reason = answer === 'no answer' ? 'ADDRESS_SLOW' : 'ADDRESS_UNTRIED';
  return (on) => condition(reason, { url, on });
}

/**
 * Returns the log entry for an address without a certificate, with the reason if the proxy knows one. The service
 * itself works: the proxy gets the certificate once the cause is fixed.
 */
async function withoutCertificate(
  context: OwnObjects & Pick<DockerContext, 'clock'>,
  { host }: Route,
  url: string,
  signal: AbortSignal,
): Promise<Told> {
  const said = await certificateProblem(context, host, signal);
  return (on) => condition('CERTIFICATE_MISSING', { url, host, on, said });
}

/**
 * Tries an address on every machine of the proxy.
 * @returns the log entries
 * @throws ConditionError if the service doesn't answer at it
 */
async function tryRoute(
  context: Pick<DockerContext, 'clock' | 'proxy' | 'platformId'>,
  route: Route,
  places: readonly ProxyPlace[],
  signal: AbortSignal,
): Promise<readonly (Condition | string)[]> {
  const url = addressOf(route, context.proxy.settings);
  // A wildcard name has no single host to request.
  if (route.host.startsWith('*')) return [`${url} is forwarded to port ${route.port}`];
  const told = await Promise.all(
    places.map(async (place) => {
      const answer = await untilAnswered(context, place, route, signal);
      const tell =
        answer === 'no answer' && route.isSecure
          ? await withoutCertificate({ ...context, docker: place.docker }, route, url, signal)
          : reportedAnswer(route, url, answer);
      return { tell, name: place.name };
    }),
  );
  if (places.length === 1) return told.map(({ tell }) => tell([]));
  return [...Map.groupBy(told, ({ tell }) => JSON.stringify(tell([]))).values()].map((same) =>
    same[0]!.tell(same.map(({ name }) => name)),
  );
}

/**
 * Returns the domains of a service that are not served: they were recorded before such domains were refused.
 * @param given the domain of the cluster
 */
export const refusedDomains = ({ domains = [] }: Pick<TaskInputs, 'domains'>, given: string): readonly Condition[] =>
  domains
    .flatMap(({ domain }) => meetingFault(domain, given) ?? [])
    .map((fault) => condition('DOMAIN_NOT_SERVED', { fault }));

/** Applies the routes of a service, and waits until its addresses answer. */
async function connect(
  context: OwnObjects & Pick<DockerContext, 'clock' | 'proxy'>,
  task: Task,
  inputs: RuntimeCall['inputs'],
  say: Say,
  signal: AbortSignal,
): Promise<void> {
  const present = await findDockerService(context, task.service, signal);
  const routes = servedRoutesOf(present?.Spec, context.proxy.settings);
  say(routes.length > 0 ? 'Updating the routes of the proxy' : 'No public port: its neighbours reach it by its name');
  const { places, problems } = await context.proxy.sync(signal).catch((error: unknown) => {
    // Failures that concern other services are ignored here. Routes that this service had before are removed when the
    // proxy is next reconciled.
    if (routes.length > 0 || signal.aborted) throw error;
    return { places: [], problems: [] };
  });
  if (routes.length > 0)
    for (const told of [
      ...problems.map((problem) => condition('PROXY_IMPAIRED', { problem })),
      ...refusedDomains(await inputs(), context.proxy.settings.domain),
    ])
      say(told);
  for (const route of routes) {
    // In sequence, for the order of the log.
    for (const told of await tryRoute(context, route, places, signal)) say(told);
  }
}

/** Starts to send requests to the version that was rolled out. */
export async function beginRoute(
  context: OwnObjects & Pick<DockerContext, 'clock' | 'work' | 'proxy'>,
  task: Task,
  { inputs }: Pick<RuntimeCall, 'inputs'>,
): Promise<void> {
  context.work.begin(keyOf(task), (say, signal) => connect(context, task, inputs, say, signal));
}

/**
 * Reports whether the addresses of a service answer. On failure, the old version serves again before the phase ends.
 */
export async function observeRoute(
  context: DockerContext,
  task: Task,
  cursor: string | null,
  { inputs, signal }: RuntimeCall,
): Promise<Observation> {
  const key = keyOf(task);
  if (context.work.progressOf(key) === undefined) await beginRoute(context, task, { inputs });
  const { lines, end } = context.work.progressOf(key)!;
  const told = Number(cursor ?? 0);
  const [version, pod] = [versionShown(task), 'router'];
  const fresh = lines.slice(told).map((each) => toldLine(each.told, { at: each.at, pod, version }));
  const seen = { lines: fresh, cursor: String(Math.max(told, lines.length)) };
  if (end === undefined) return { ...seen, outcome: 'ongoing', nextPollAt: context.clock.now() + 100 };
  if ('result' in end) {
    await deleteUnusedFiles(
      context,
      task.service,
      (await findDockerService(context, task.service, signal))?.Spec,
      signal,
    );
    context.work.drop(key);
    return { ...seen, outcome: 'succeeded' };
  }
  if (isDockerAway(end.error)) {
    // The engine or its swarm is often available again in a moment: the phase then starts again.
    context.work.drop(key);
    throw end.error;
  }
  await abandonRoute(context, task, signal);
  const why = whyFailed(end.error);
  return {
    ...seen,
    lines: [...fresh, conditionLine(why, { at: context.clock.now(), pod, version })],
    outcome: 'failed',
    why,
  };
}

/** Stops the work on a route, and rolls back to the previous version. */
export async function abandonRoute(
  context: OwnObjects & RegistryAccess & Pick<DockerContext, 'work' | 'proxy'>,
  task: Task,
  signal: AbortSignal,
): Promise<void> {
  await abandonRollOut(context, task, signal);
  // If the proxy can't be updated now, the next reconciliation updates it.
  await context.proxy.sync(signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
  context.work.drop(keyOf(task));
}
