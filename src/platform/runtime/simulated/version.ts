import type { ServiceToRun } from '../runtime.ts';

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
