import { operations, reference } from '../../../contract/index.ts';
import { record, table } from '../../tool/index.ts';
import { readClusterLocks } from '../../context/index.ts';
import { isRecord, omit, type JsonRecord } from '../../json/index.ts';
import { answerResource, platformResource, recordWithTable, type PlatformResource } from './resource.ts';

/** The resources from the organization down to environments, and clusters. */
export const organizationResources: readonly PlatformResource[] = [
  answerResource({
    name: 'organization',
    uri: 'infra://organization',
    title: 'Organization',
    description: 'The organization that the API token belongs to.',
    toolset: 'organization',
    operation: operations.get_organization,
    render: record({ omitted: ['results', 'icon_uri'] }),
  }),
  answerResource({
    name: 'projects',
    uri: 'infra://projects',
    title: 'Projects',
    description: 'The projects of the organization.',
    toolset: 'projects',
    operation: operations.list_projects,
    render: table('project', ['name', 'id', 'description', 'associated_environments_count', 'updated_at']),
  }),
  answerResource({
    name: 'clusters',
    uri: 'infra://clusters',
    title: 'Clusters',
    description: 'The clusters of the organization, with state, version and lock.',
    toolset: 'clusters',
    operation: operations.list_clusters,
    render: table('cluster', [
      'name',
      'id',
      'status',
      'is_locked',
      'version',
      'region',
      'cloud_provider',
      'production',
      'is_default',
    ]),
  }),
  answerResource({
    name: 'members',
    uri: 'infra://members',
    title: 'Members',
    description: 'Who belongs to the organization, and with which role.',
    toolset: 'organization',
    operation: operations.list_members,
    render: table('member', ['name', 'email', 'role_name', 'last_activity_at', 'id']),
  }),
  answerResource({
    name: 'alert_rules',
    uri: 'infra://alert-rules',
    title: 'Alert rules',
    description: 'The alert rules of the organization, with their conditions and states.',
    toolset: 'alerts',
    operation: operations.list_alert_rules,
    render: table('alert rule', [
      'name',
      'id',
      'state',
      'severity',
      'enabled',
      'is_up_to_date',
      'starts_at',
      'for_duration',
      'condition.promql',
      'condition.operator',
      'condition.threshold',
      'target.service.name',
      'target.service.environment_name',
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
    read: async ({ project }, { read, resolved }) => ({
      name: resolved['project']?.name,
      id: project,
      ...(await read(operations.list_environments, { project_id: project })),
    }),
    render: recordWithTable('environment', ['name', 'id', 'mode', 'cluster_name', 'last_updated_by', 'updated_at']),
  }),
  platformResource({
    name: 'environment',
    uri: 'infra://environment/{+environment}',
    title: 'Environment',
    description: 'An environment and its services.',
    toolset: 'environments',
    input: { environment: reference('environment') },
    operations: [operations.get_environment, operations.list_services],
    read: async ({ environment }, { read }) => {
      const id = { environment_id: environment };
      const [found, services] = await Promise.all([
        read(operations.get_environment, id),
        read(operations.list_services, id),
      ]);
      return { ...found, ...services };
    },
    render: recordWithTable(
      'service',
      ['name', 'kind', 'id', 'description', 'updated_at'],
      ['organization', 'icon_uri'],
    ),
  }),
  platformResource({
    name: 'cluster',
    uri: 'infra://cluster/{cluster}',
    title: 'Cluster',
    description: 'A cluster with its state, lock and next version.',
    toolset: 'clusters',
    // Never given by the caller: it is filled in with the token's organization.
    input: { organization_id: reference('organization').optional(), cluster: reference('cluster') },
    operations: [operations.list_clusters],
    read: async ({ organization_id: organization = '', cluster }, { read, attempt }) => {
      const [clusters, status] = await Promise.all([
        read(operations.list_clusters, { organization_id: organization }),
        attempt(operations.get_cluster_status, { organization_id: organization, cluster_id: cluster }),
      ]);
      const found = clusters.results?.find(({ id }) => id === cluster);
      const told: JsonRecord = { ...found, ...(isRecord(status) && omit(status, ['cluster_id'])) };
      if (told['cluster_lock'] !== undefined) return told;
      const lock = (await readClusterLocks(organization, [cluster], { attempt })).get(cluster);
      return { ...told, ...(lock !== undefined && { cluster_lock: lock }) };
    },
    render: record({ omitted: ['organization', 'icon_uri'] }),
  }),
];
