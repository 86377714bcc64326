import { isRecord, type ServiceKind } from '../../../contract/index.ts';
import type { Index } from '../../../database/index.ts';

/** A member of the configurations of a kind of services that names a resource of the organization by its id. */
interface ServiceReference {
  readonly kind: ServiceKind;
  readonly path: readonly string[];
  /** The index on it, and the step that added it. */
  readonly index: string;
  readonly since: number;
}

const gitTokenAt = (kind: ServiceKind, index: string, ...path: readonly string[]): ServiceReference => ({
  kind,
  path: [...path, 'git_repository', 'git_token_id'],
  index,
  since: 18,
});

/** The members of configurations that name resources of the organization, by the table of these. Each has an index. */
export const serviceReferences = {
  registry: [
    { kind: 'container', path: ['registry_id'], index: 'container_of_registry', since: 18 },
    { kind: 'job', path: ['source', 'image', 'registry_id'], index: 'job_of_registry', since: 18 },
  ],
  helm_repository: [
    { kind: 'helm', path: ['source', 'repository', 'repository', 'id'], index: 'service_of_helm_repository', since: 2 },
  ],
  git_token: [
    gitTokenAt('application', 'application_of_git_token'),
    gitTokenAt('job', 'job_of_git_token', 'source', 'docker'),
    gitTokenAt('helm', 'helm_of_git_token', 'source', 'git'),
    gitTokenAt('helm', 'values_of_git_token', 'values_override', 'file', 'git'),
    gitTokenAt('terraform', 'terraform_of_git_token', 'terraform_files_source', 'git'),
  ],
} as const satisfies Readonly<Record<string, readonly ServiceReference[]>>;

/** The indexes on these members. */
export const referenceIndexes: Readonly<Record<string, Index>> = Object.fromEntries(
  Object.values<readonly ServiceReference[]>(serviceReferences)
    .flat()
    .map(({ kind, path, index, since }) => [
      index,
      { on: [{ column: 'spec', path }], where: `kind = '${kind}'`, since },
    ]),
);

/** A reference in a configuration: the member, and the id that it holds. */
interface Reference {
  readonly path: readonly string[];
  readonly id: string;
}

/** The references to a kind of resource in the configuration of a service. */
export const referencesIn = (
  referred: keyof typeof serviceReferences,
  service: ServiceKind,
  spec: object,
): readonly Reference[] =>
  serviceReferences[referred].flatMap(({ kind, path }: Pick<ServiceReference, 'kind' | 'path'>) => {
    const id =
      kind === service
        ? path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), spec)
        : undefined;
    return typeof id === 'string' ? [{ path, id }] : [];
  });
