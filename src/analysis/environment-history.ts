import { type HistoryItem, type PastDeployment, readDeployment } from './history.ts';

/** The deployments of an environment that a service took part in, newest first, each with the state in which it left the service. */
export const deploymentsOf = (serviceId: string, history: readonly HistoryItem[]): PastDeployment[] =>
  history.flatMap((item) => {
    const own = item.services?.find((service) => service.service_id === serviceId);
    return own ? [readDeployment({ ...item, status: own.status, status_details: { ...item.status_details, status: undefined } })] : [];
  });

/** A service that was stopped: by whom and when, and how its last deployment before that ended. */
export interface StoppedService {
  readonly stop: PastDeployment;
  readonly before?: PastDeployment;
}

const brings = ({ action }: PastDeployment): boolean => action === 'DEPLOY' || action === 'RESTART';

/**
 * What stopped a service, if the last that happened to it is that it was stopped.
 * @param deployments newest first
 */
export function stoppedBy([newest, ...earlier]: readonly PastDeployment[]): StoppedService | undefined {
  if (newest?.action !== 'STOP' || newest.end !== 'good') return undefined;
  // Who stops what is stopped already changes nothing.
  const first = earlier.findIndex((past) => past.action !== 'STOP' || past.end !== 'good');
  return { stop: first > 0 ? earlier[first - 1]! : newest, before: earlier.find(brings) };
}
