import { maximumInstances } from '../../../contract/index.ts';
import type { ServiceToRun } from '../index.ts';
import { digest, slug } from './phase-context.ts';

/** The name of an instance of a deployment's version. @param index of the instance, from 0 */
export function instanceName(
  service: Pick<ServiceToRun, 'id' | 'kind' | 'name'>,
  version: string,
  deploymentId: string,
  index = 0,
): string {
  const name = slug(service.name);
  const suffix = digest(`${deploymentId}/${service.id}/${index}`, 5);
  switch (service.kind) {
    case 'application':
    case 'container':
      return `${name}-${digest(`${service.id}/${version}`, 9)}-${suffix}`;
    case 'database':
      return `${name}-${index}`;
    default:
      return `${name}-${suffix}`;
  }
}

/** The version of a service in log lines: a short commit, an image tag, a chart or server version. */
export const instanceVersion = (service: ServiceToRun, commitId: string | undefined): string => {
  switch (service.kind) {
    case 'container':
      return service.spec.tag;
    case 'job':
      return service.spec.source.image?.tag ?? commitId?.slice(0, 7) ?? '';
    case 'database':
      return service.spec.version;
    case 'helm':
      return service.spec.source.repository?.chart_version ?? commitId?.slice(0, 7) ?? '';
    default:
      return commitId?.slice(0, 7) ?? '';
  }
};

/** How many instances of a service run. Earlier versions stored any number. */
export const instancesOf = ({ kind, spec }: ServiceToRun): number =>
  kind === 'application' || kind === 'container' ? Math.min(spec.min_running_instances, maximumInstances) : 1;
