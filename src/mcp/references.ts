import type { ReferenceKind } from '../contract/primitives.ts';

/** The tool whose answer shows ids of a kind. Kinds without an entry appear only inside other answers. */
const sources: Partial<Record<ReferenceKind, string>> = {
  organization: 'get_organization',
  project: 'list_projects',
  environment: 'list_environments',
  environment_variable: 'list_environment_variables',
  cluster: 'list_clusters',
  application: 'list_services',
  container: 'list_services',
  database: 'list_services',
  job: 'list_services',
  helm: 'list_services',
  terraform: 'list_services',
  role: 'list_members',
};

/** The tool that shows ids of this kind, or undefined where none does. */
export const sourceOf = (kind: ReferenceKind): string | undefined => sources[kind];

/** One short description of an id parameter: where its value is found. */
export const whereToFind = (kind: ReferenceKind | undefined): string | undefined => {
  const source = kind && sourceOf(kind);
  return source && `From ${source}.`;
};
