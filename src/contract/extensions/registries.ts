import * as z from 'zod';
import { operation } from '../operation.ts';
import { ContainerRegistry, ContainerRegistryRequest } from '../resources/container-registry.ts';
import { GitToken, GitTokenRequest, GitTokenUpdateRequest } from '../resources/git-token.ts';
import { HelmCharts, HelmRepository, HelmRepositoryRequest } from '../resources/helm-repository.ts';
import { ServiceUses } from '../resources/service-use.ts';
import { read, undocumented } from './common.ts';
import { listInOrganization } from './organization.ts';

const registry = '/organization/{organizationId}/containerRegistry/{registryId}';
const helmRepository = '/organization/{organizationId}/helmRepository/{helmRepositoryId}';
const gitToken = '/organization/{organizationId}/gitToken/{gitTokenId}';

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

/** A change of where images, charts and source come from: it decides what runs, and with which credentials. */
const change = { ...undocumented, effect: 'sensitive', permission: 'admin', target: 'organization' } as const;

/** A new one, which nothing uses yet: as for Helm repositories, whoever may write may create it. */
const creation = { ...change, permission: 'write' } as const;

/** Operations outside the API document: where images, charts and source come from. */
export const registryExtensions = {
  list_container_registries: listInOrganization(
    'list_container_registries',
    'containerRegistry',
    ContainerRegistry,
    'List the container registries, without their credentials.',
  ),
  get_container_registry: operation({
    ...read,
    name: 'get_container_registry',
    path: registry,
    response: ContainerRegistry,
    summary: 'Read a container registry, without its credentials.',
  }),
  create_container_registry: operation({
    ...creation,
    name: 'create_container_registry',
    method: 'POST',
    path: '/organization/{organizationId}/containerRegistry',
    body: ContainerRegistryRequest,
    response: ContainerRegistry,
    creates: { kind: 'registry', in: 'organization' },
    roles: { 'config.vendor_project_id': 'unrelated' },
    summary: 'Link a container registry, with its credentials.',
  }),
  update_container_registry: operation({
    ...change,
    name: 'update_container_registry',
    method: 'PUT',
    path: registry,
    body: ContainerRegistryRequest,
    response: ContainerRegistry,
    roles: { 'config.vendor_project_id': 'unrelated' },
    summary: 'Replace a container registry: its address and credentials.',
  }),
  delete_container_registry: operation({
    ...change,
    name: 'delete_container_registry',
    method: 'DELETE',
    path: registry,
    summary: 'Delete a container registry that no service uses.',
  }),
  list_services_of_container_registry: usesOf(
    'list_services_of_container_registry',
    `${registry}/associatedServices`,
    'a container registry',
  ),
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
  list_helm_charts: operation({
    ...read,
    name: 'list_helm_charts',
    path: `${helmRepository}/charts`,
    query: { chartName: z.string().min(1).optional().describe('Only this chart.') },
    response: HelmCharts,
    summary: 'List the charts of a helm repository, with their versions.',
  }),
  list_git_tokens: listInOrganization(
    'list_git_tokens',
    'gitToken',
    GitToken,
    'List the tokens for private git repositories, without their values.',
  ),
  get_git_token: operation({
    ...read,
    name: 'get_git_token',
    path: gitToken,
    response: GitToken,
    summary: 'Read a git token, without its value.',
  }),
  create_git_token: operation({
    ...creation,
    name: 'create_git_token',
    method: 'POST',
    path: '/organization/{organizationId}/gitToken',
    body: GitTokenRequest,
    response: GitToken,
    creates: { kind: 'git_token', in: 'organization' },
    summary: 'Store a token for private git repositories.',
  }),
  update_git_token: operation({
    ...change,
    name: 'update_git_token',
    method: 'PUT',
    path: gitToken,
    body: GitTokenUpdateRequest,
    response: GitToken,
    keepsSecrets: true,
    summary: 'Replace a git token. Its value stays if none is given.',
  }),
  delete_git_token: operation({
    ...change,
    name: 'delete_git_token',
    method: 'DELETE',
    path: gitToken,
    summary: 'Delete a git token that no service uses.',
  }),
  list_services_of_git_token: usesOf('list_services_of_git_token', `${gitToken}/associatedServices`, 'a git token'),
} as const;
