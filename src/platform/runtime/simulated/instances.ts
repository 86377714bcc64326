import type { ServiceToRun } from '../runtime.ts';
import { digest, slug } from './script.ts';

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
