import { operation } from '../operation.ts';
import { Environment, EnvironmentUpdateRequest } from '../resources/environment.ts';
import { Project, ProjectRequest } from '../resources/organization.ts';
import { read, undocumented } from './common.ts';

/**
 * Operations outside the API document: projects, and what environments are called. Rules of policies name projects,
 * environments and modes, so a new name or mode decides which rules hold from then on: such a change counts as
 * destructive.
 */
export const placeExtensions = {
  get_project: operation({
    ...read,
    name: 'get_project',
    path: '/project/{projectId}',
    response: Project,
    summary: 'Read a project.',
  }),
  update_project: operation({
    ...undocumented,
    name: 'update_project',
    method: 'PUT',
    path: '/project/{projectId}',
    body: ProjectRequest,
    response: Project,
    effect: 'destructive',
    target: 'project',
    renames: true,
    reachesEnvironments: true,
    summary: "Replace a project's name and description.",
  }),
  delete_project: operation({
    ...undocumented,
    name: 'delete_project',
    method: 'DELETE',
    path: '/project/{projectId}',
    effect: 'destructive',
    permission: 'admin',
    target: 'project',
    reachesEnvironments: true,
    summary: 'Delete a project that has no environments.',
  }),
  update_environment: operation({
    ...undocumented,
    name: 'update_environment',
    method: 'PUT',
    path: '/environment/{environmentId}',
    body: EnvironmentUpdateRequest,
    response: Environment,
    effect: 'destructive',
    target: 'environment',
    renames: true,
    roles: { mode: 'mode' },
    summary: "Replace an environment's name and mode.",
  }),
} as const;
