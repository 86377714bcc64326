import { reasonOf } from '../../../common/index.ts';
import type { Measured } from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import { type DockerClient, isDockerError, listDockerServices } from '../api/index.ts';
import { isStopped, labelFilter, labelledService, platformLabels } from '../labels.ts';
import type { NodeEngines } from '../nodes/node-engines.ts';
import { accessLogFiles, countRequests, linesSince, type LogPosition } from './access-log.ts';
import { findProxy } from './proxy-container.ts';
import { findProxyPlaces, type ProxyPlace } from './proxy-places.ts';
import { routesOf } from './routes.ts';

type Requests = Pick<Measured, 'requests' | 'requestsProblem'>;

/** The state after the last call. */
interface LastCall {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The positions up to which the logs were read, by their containers. */
  readonly positions: ReadonlyMap<string, LogPosition | null>;
  /** Whether the logs of all proxies could be read. */
  readonly isWhole: boolean;
}

const tooMany =
  'There were more requests than the log of the proxy keeps between two measurements: some are not counted.';

/** Reads the files of a log; none if there was no request yet. */
const filesOf = (docker: DockerClient, container: string, signal: AbortSignal): Promise<readonly Buffer[]> =>
  accessLogFiles(docker, container, signal).catch((error: unknown) => {
    if (isDockerError(error, 'not found')) return [];
    throw error;
  });

/**
 * Creates the function that counts the requests since its last call, from the logs of the proxies. The first call
 * counts none: another process may have counted the present ones. Requests that arrive while no process counts are left
 * out, and none counts twice.
 */
export function createRequestCounter(
  { docker, platformId, clock }: OwnObjects & Pick<DockerContext, 'clock'>,
  engines: NodeEngines,
): (signal: AbortSignal) => Promise<Requests> {
  let last: LastCall | undefined;

  /** The services with public ports: those without requests have no lines in the log. */
  const publicServices = async (signal: AbortSignal): Promise<readonly string[]> =>
    (await listDockerServices(docker, labelFilter(platformLabels(platformId)), { signal })).flatMap(({ Spec }) =>
      !isStopped(Spec.Labels) && routesOf(Spec).length > 0 ? (labelledService(Spec.Labels) ?? []) : [],
    );

  /** Reads one machine's log since the last call; undefined without a proxy there. */
  const readAt = async ({ docker: at }: ProxyPlace, signal: AbortSignal) => {
    const container = (await findProxy({ docker: at, platformId }, signal))?.Id;
    if (container === undefined) return undefined;
    // A proxy that was created since the last call has its own log. If a log could not be read then, it may be that
    // one.
    const isNew = last?.isWhole === true;
    const known = last?.positions.get(container);
    return {
      container,
      ...linesSince(await filesOf(at, container, signal), known === undefined && isNew ? null : known),
    };
  };

  const read = async (signal: AbortSignal): Promise<Requests> => {
    const services = await publicServices(signal);
    const { places, problems: missing } =
      services.length === 0 ? { places: [], problems: [] } : await findProxyPlaces(docker, engines, signal);
    const at = clock.now();
    const results = await Promise.allSettled(places.map((place) => readAt(place, signal)));
    signal.throwIfAborted();
    const logs = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected'
        ? [`The log of the proxy on ${places[index]!.name} can't be read: ${reasonOf(result.reason)}.`]
        : [],
    );
    const [before, isWhole] = [last, failures.length === 0 && missing.length === 0];
    const kept = isWhole ? [] : (before?.positions ?? []);
    last = {
      at,
      positions: new Map([...kept, ...logs.map(({ container, position }) => [container, position] as const)]),
      isWhole,
    };
    if (before === undefined || services.length === 0) return {};
    const problems = [
      ...(logs.some(({ isLost }) => isLost) ? [tooMany] : []),
      ...failures,
      ...(missing.length > 0
        ? ["The log of a proxy whose machine can't be queried is not read: requests there are not counted."]
        : []),
    ];
    const counted = new Map(countRequests(logs.flatMap(({ lines }) => lines)).map((each) => [each.serviceId, each]));
    return {
      ...(logs.length > 0 && {
        requests: {
          milliseconds: at - before.at,
          services: services.map(
            (serviceId) => counted.get(serviceId) ?? { serviceId, requests: 0, errors: 0, byDuration: [] },
          ),
        },
      }),
      ...(problems.length > 0 && { requestsProblem: problems.join(' ') }),
    };
  };

  return async (signal) => {
    try {
      return await read(signal);
    } catch (error) {
      signal.throwIfAborted();
      return { requestsProblem: `The log of the proxy can't be read: ${reasonOf(error)}.` };
    }
  };
}
