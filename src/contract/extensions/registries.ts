import { operation } from '../operation.ts';
import { HelmRepository, HelmRepositoryRequest } from '../resources/helm-repository.ts';
import { ServiceUses } from '../resources/service-use.ts';
import { read, undocumented } from './common.ts';

const helmRepository = '/organization/{organizationId}/helmRepository/{helmRepositoryId}';

/** A list of the services that use a resource of the organization. */
export const usesOf = <const Name extends string, const Path extends string>(name: Name, path: Path, what: string) =>
  operation({
    ...read,
    name,
    path,
    response: ServiceUses,
    placedRows: { member: 'results', are: 'uses' },
    summary: `List the services that use ${what}.`,
  });

/** A change of where images and charts come from: it decides what runs, and with which credentials it is fetched. */
const change = { ...undocumented, effect: 'sensitive', permission: 'admin', target: 'organization' } as const;

/** Operations outside the API document: where charts come from. */
export const registryExtensions = {
  get_helm_repository: operation({
    ...read,
    name: 'get_helm_repository',
    path: helmRepository,
    response: HelmRepository,
    summary: 'Read a helm repository, without its credentials.',
  }),
  update_helm_repository: operation({
    ...change,
    name: 'update_helm_repository',
    method: 'PUT',
    path: helmRepository,
    body: HelmRepositoryRequest,
    response: HelmRepository,
    roles: { 'config.vendor_project_id': 'unrelated' },
    summary: 'Replace a helm repository: its address and credentials.',
  }),
  delete_helm_repository: operation({
    ...change,
    name: 'delete_helm_repository',
    method: 'DELETE',
    path: helmRepository,
    summary: 'Delete a helm repository that no service uses.',
  }),
  list_services_of_helm_repository: usesOf(
    'list_services_of_helm_repository',
    `${helmRepository}/associatedServices`,
    'a helm repository',
  ),
} as const;
