import type { ServiceToRun } from '../runtime.ts';
import { digest, slug } from './phase-context.ts';

/** Name of an instance, counted from 0, of the version that a deployment brought. */
export function instanceName(service: Pick<ServiceToRun, 'id' | 'kind' | 'name'>, version: string, deploymentId: string, index = 0): string {
  const name = slug(service.name);
  const own = digest(`${deploymentId}/${service.id}/${index}`, 5);
  switch (service.kind) {
    case 'application':
    case 'container': return `${name}-${digest(`${service.id}/${version}`, 9)}-${own}`;
    case 'database': return `${name}-${index}`;
    default: return `${name}-${own}`;
  }
}

/** What log lines say a service runs: a short commit, an image tag, a chart or server version. */
export const versionOf = (service: ServiceToRun, commitId: string | undefined): string => {
  switch (service.kind) {
    case 'container': return service.spec.tag;
    case 'job': return service.spec.source.image.tag;
    case 'database': return service.spec.version;
    case 'helm': return service.spec.source.repository?.chart_version ?? commitId?.slice(0, 7) ?? '';
    default: return commitId?.slice(0, 7) ?? '';
  }
};
