import * as z from 'zod';
import { operation } from '../operation.ts';
import { reference } from '../primitives.ts';
import { EnvironmentStatus } from '../resources/environment.ts';
import { EventPage, eventQuery } from '../resources/event.ts';
import { EnvironmentOfOrganization, EnvironmentOverview, ServiceOfOrganization } from '../resources/wide-lists.ts';
import { read } from './common.ts';

/** A list of everything below its target in one response, without pages. */
const wideList = <const Name extends string, const Path extends string, Row extends z.ZodType>(
  name: Name,
  path: Path,
  row: Row,
  summary: string,
) =>
  operation({ ...read, name, path, response: z.object({ results: z.array(row) }), showsEnvironments: true, summary });

/** Operations outside the API document: reads of a whole organization or project at once. */
export const wideReadExtensions = {
  list_services_of_organization: operation({
    ...read,
    name: 'list_services_of_organization',
    path: '/organization/{organizationId}/services',
    query: {
      project_id: reference('project').optional(),
      environment_id: reference('environment').optional(),
      cluster_id: reference('cluster').optional(),
    },
    roles: {
      project_id: { within: 'project' },
      environment_id: { within: 'environment' },
      cluster_id: { within: 'cluster' },
    },
    response: z.object({ results: z.array(ServiceOfOrganization) }),
    showsEnvironments: true,
    summary: 'List the services of an organization, of every kind, with their places.',
  }),
  list_environments_of_organization: wideList(
    'list_environments_of_organization',
    '/organization/{organizationId}/environments',
    EnvironmentOfOrganization,
    'List the environments of an organization.',
  ),
  list_environment_overviews: wideList(
    'list_environment_overviews',
    '/project/{projectId}/environment/overview',
    EnvironmentOverview,
    'List the environments of a project with their clusters and states.',
  ),
  list_environment_statuses: wideList(
    'list_environment_statuses',
    '/project/{projectId}/environment/status',
    EnvironmentStatus,
    'List the states of the environments of a project.',
  ),
  list_events: operation({
    ...read,
    name: 'list_events',
    path: '/organization/{organizationId}/events',
    query: eventQuery,
    response: EventPage,
    placedRows: { member: 'events', are: 'events' },
    roles: { service_project_id: { within: 'project' }, service_environment_id: { within: 'environment' } },
    summary: 'List who changed what, newest first.',
  }),
} as const;
