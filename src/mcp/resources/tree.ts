import type * as z from 'zod';
import { operations } from '../../contract/operations.ts';
import { reference } from '../../contract/primitives.ts';
import { record, table } from '../render.ts';
import { isRecord, omit } from '../values.ts';
import { platformResource, type PlatformResource } from './resource.ts';
import { holding } from './rows.ts';

// Nobody gives it: the token's own is filled in.
const ofOrganization = { organization_id: reference('organization').optional() };
type OfOrganization = z.output<z.ZodObject<typeof ofOrganization>>;

const idIn = ({ organization_id: id }: OfOrganization): { organization_id: string } => ({ organization_id: id! });

/** What the organization holds, from the top down to services. */
export const tree: readonly PlatformResource[] = [
  platformResource({
    name: 'organization',
    uri: 'infra://organization',
    title: 'Organization',
    description: 'The organization that the API token belongs to.',
    toolset: 'organization',
    input: {},
    operations: [operations.get_organization],
    read: async (_, { read }) => read(operations.get_organization, {}),
    render: record({ left: ['results', 'icon_uri'] }),
  }),
  platformResource({
    name: 'projects',
    uri: 'infra://projects',
    title: 'Projects',
    description: 'The projects of the organization.',
    toolset: 'projects',
    input: ofOrganization,
    operations: [operations.list_projects],
    read: async (args, { read }) => read(operations.list_projects, idIn(args)),
    render: table('project', ['name', 'id', 'description', 'associated_environments_count', 'updated_at']),
  }),
  platformResource({
    name: 'clusters',
    uri: 'infra://clusters',
    title: 'Clusters',
    description: 'The clusters of the organization, with state, version and lock.',
    toolset: 'clusters',
    input: ofOrganization,
    operations: [operations.list_clusters],
    read: async (args, { read }) => read(operations.list_clusters, idIn(args)),
    render: table('cluster', ['name', 'id', 'status', 'is_locked', 'version', 'region', 'cloud_provider', 'production', 'is_default']),
  }),
  platformResource({
    name: 'members',
    uri: 'infra://members',
    title: 'Members',
    description: 'Who belongs to the organization, and with which role.',
    toolset: 'organization',
    input: ofOrganization,
    operations: [operations.list_members],
    read: async (args, { read }) => read(operations.list_members, idIn(args)),
    render: table('member', ['name', 'email', 'role_name', 'last_activity_at', 'id']),
  }),
  platformResource({
    name: 'alert_rules',
    uri: 'infra://alert-rules',
    title: 'Alert rules',
    description: 'The alert rules of the organization, with their conditions and states.',
    toolset: 'alerts',
    input: ofOrganization,
    operations: [operations.list_alert_rules],
    read: async (args, { read }) => read(operations.list_alert_rules, idIn(args)),
    render: table('alert rule', [
      'name', 'id', 'state', 'severity', 'enabled', 'is_up_to_date', 'starts_at', 'for_duration', 'condition.promql', 'condition.operator',
      'condition.threshold', 'target.service.name', 'target.service.environment_name',
    ]),
  }),
  platformResource({
    name: 'project',
    uri: 'infra://project/{project}',
    title: 'Project',
    description: 'A project and its environments.',
    toolset: 'environments',
    input: { project: reference('project') },
    operations: [operations.list_environments],
    read: async ({ project }, { read, addresses }) => ({
      name: addresses['project']?.name,
      id: project,
      ...(await read(operations.list_environments, { project_id: project })),
    }),
    render: holding('environment', ['name', 'id', 'mode', 'cluster_name', 'last_updated_by', 'updated_at']),
  }),
  platformResource({
    name: 'environment',
    uri: 'infra://environment/{environment}',
    title: 'Environment',
    description: 'An environment and its services.',
    toolset: 'environments',
    input: { environment: reference('environment') },
    operations: [operations.get_environment, operations.list_services],
    read: async ({ environment }, { read }) => {
      const id = { environment_id: environment };
      const [found, services] = await Promise.all([read(operations.get_environment, id), read(operations.list_services, id)]);
      return { ...found, ...services };
    },
    render: holding('service', ['name', 'service_type', 'id', 'description', 'updated_at'], ['organization', 'icon_uri']),
  }),
  platformResource({
    name: 'cluster',
    uri: 'infra://cluster/{cluster}',
    title: 'Cluster',
    description: 'A cluster with its state, lock and next version.',
    toolset: 'clusters',
    input: { ...ofOrganization, cluster: reference('cluster') },
    operations: [operations.list_clusters],
    read: async ({ cluster, ...args }, { read, attempt }) => {
      const [clusters, status] = await Promise.all([
        read(operations.list_clusters, idIn(args)),
        attempt(operations.get_cluster_status, { ...idIn(args), cluster_id: cluster }),
      ]);
      const found = clusters.results?.find(({ id }) => id === cluster);
      return { ...found, ...(isRecord(status) && omit(status, ['cluster_id'])) };
    },
    render: record({ left: ['organization', 'icon_uri'] }),
  }),
];
