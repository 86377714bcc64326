import * as z from 'zod';
import { maybe, maybeRecord } from './lenient.ts';

/** The source of a service, according to its configuration. */
export interface ServiceOrigin {
  readonly git?: {
    readonly url?: string;
    readonly branch?: string;
    /** The commit that was deployed last. */ readonly deployed?: string;
  };
  readonly image?: { readonly name?: string; readonly tag?: string; readonly registryId?: string };
  readonly chart?: { readonly name?: string; readonly version?: string; readonly repositoryId?: string };
}

const text = maybe(z.string().min(1));
const Git = maybeRecord({ url: text, branch: text, deployed_commit_id: text });
const InGit = maybeRecord({ git_repository: Git });
const image = { image_name: text, tag: text, registry_id: text };

const Configured = z.looseObject({
  ...image,
  git_repository: Git,
  terraform_files_source: maybeRecord({ git: InGit }),
  source: maybeRecord({
    git: InGit,
    docker: InGit,
    image: maybeRecord(image),
    repository: maybeRecord({ chart_name: text, chart_version: text, repository: maybeRecord({ id: text }) }),
  }),
});

/** Reads the source of a service of any kind. Its place in the configuration depends on the kind. Never throws. */
export function originIn(configuration: unknown): ServiceOrigin {
  const read = Configured.safeParse(configuration).data;
  if (!read) return {};
  const { git_repository: own, source, terraform_files_source: files } = read;
  const git = own ?? source?.git?.git_repository ?? source?.docker?.git_repository ?? files?.git?.git_repository;
  const run = read.image_name || read.tag || read.registry_id ? read : source?.image;
  const chart = source?.repository;
  return {
    ...(git && {
      git: {
        url: git.url ?? undefined,
        branch: git.branch ?? undefined,
        deployed: git.deployed_commit_id ?? undefined,
      },
    }),
    ...(run && {
      image: { name: run.image_name ?? undefined, tag: run.tag ?? undefined, registryId: run.registry_id ?? undefined },
    }),
    ...(chart && {
      chart: {
        name: chart.chart_name ?? undefined,
        version: chart.chart_version ?? undefined,
        repositoryId: chart.repository?.id ?? undefined,
      },
    }),
  };
}

/**
 * The identifier of a service's versions: a commit of its branch, a tag of its image, a version of its chart; none for
 * a database.
 */
export type VersionSource =
  | { readonly by: 'commit'; readonly branch?: string; readonly deployed?: string }
  | { readonly by: 'tag' | 'chart'; readonly configured?: string }
  | { readonly by: 'none' };

/**
 * The identifier of the versions of a service of this kind; undefined if that depends on its configuration, which
 * doesn't show it.
 */
export function versionSourceOf(kind: string, configuration: unknown): VersionSource | undefined {
  const { git, image: run, chart } = originIn(configuration);
  const fromGit: VersionSource = { by: 'commit', branch: git?.branch, deployed: git?.deployed };
  switch (kind) {
    case 'application':
    case 'terraform':
      return fromGit;
    case 'container':
      return { by: 'tag', configured: run?.tag };
    case 'database':
      return { by: 'none' };
    default:
      if (run) return { by: 'tag', configured: run.tag };
      if (chart) return { by: 'chart', configured: chart.version };
      return git && fromGit;
  }
}
