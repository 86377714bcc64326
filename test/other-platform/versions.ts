import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import type { Service } from './store.ts';

const COMMIT = '7c1e0f5a9b3d4e6f8091a2b3c4d5e6f708192a3b';

export function commitOf(service: Service): Members {
  const sha = service.commit ?? COMMIT;
  return {
    created_at: '2026-01-12T08:15:00.000Z',
    git_commit_id: sha,
    tag: sha.slice(0, 7),
    message: 'fix: keep the cart when the session ends',
    author_name: 'Ada Byron',
    author_avatar_url: 'https://example.com/ada.png',
    commit_page_url: `https://git.example.com/shop/commit/${sha}`,
  };
}

/** The image of a service that runs one: a container, or a job made from an image. */
export function imageOf(service: Service): { image_name: unknown; tag: unknown } | undefined {
  const image =
    service.kind === 'container'
      ? service.spec
      : ((service.spec.source as Members | undefined)?.image as Members | undefined);
  return image === undefined ? undefined : { image_name: image.image_name, tag: image.tag };
}

/** How answers write a schedule in histories: not with the word of the requests. */
function historySchedule(schedule: unknown): unknown {
  const { cronjob, ...others } = (schedule ?? {}) as Members;
  return cronjob === undefined ? others : { cron_job: cronjob };
}

/** What a history tells about the version of a service: in one form for all kinds, or flat and different for each. */
export function versionDetails(platform: Platform, service: Service): Members {
  const image = imageOf(service);
  const { spec, kind } = service;
  if (!platform.on('flatHistoryDetails')) {
    if (image !== undefined) return { image };
    return kind === 'database'
      ? {}
      : {
          commit: commitOf(service),
          build_pod_name: kind === 'application' || kind === 'job' ? `build-${service.id.slice(0, 8)}` : '',
        };
  }
  const build = `build-${service.id.slice(0, 8)}`;
  switch (kind) {
    case 'application':
      return { commit: commitOf(service), build_pod_name: build };
    case 'container':
      return {
        ...image,
        arguments: spec.arguments ?? [],
        ...(spec.entrypoint === undefined ? {} : { entrypoint: spec.entrypoint }),
      };
    case 'job':
      return {
        image_name: image?.image_name ?? '',
        tag: image?.tag ?? '',
        job_type: jobType(service),
        commit: image === undefined ? commitOf(service) : null,
        schedule: historySchedule(spec.schedule),
        build_pod_name: image === undefined ? build : null,
      };
    case 'helm': {
      const chart = (spec.source as Members | undefined)?.helm_repository as Members | undefined;
      return chart === undefined
        ? { commit: commitOf(service) }
        : { commit: null, repository: { chart_name: chart.chart_name, chart_version: chart.chart_version } };
    }
    default:
      return {};
  }
}

export function jobType(service: Service): string | undefined {
  if (service.kind !== 'job') return undefined;
  return (service.spec.schedule as Members | undefined)?.cronjob === undefined ? 'LIFECYCLE' : 'CRON';
}
