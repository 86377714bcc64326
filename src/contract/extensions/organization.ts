import * as z from 'zod';
import { operation } from '../operation.ts';
import { listOf, pageQuery } from '../primitives.ts';
import { AlertReceiver } from '../resources/alert-receiver.ts';
import { AlertRule, ListedAlertRule } from '../resources/alert-rule.ts';
import { AdvancedSettings, Cluster, ClusterLock, ClusterStatus } from '../resources/cluster.ts';
import { Environment } from '../resources/environment.ts';
import { HelmRepository } from '../resources/helm-repository.ts';
import { BillingInfo } from '../resources/organization.ts';
import { AnnotationsGroup, LabelsGroup } from '../resources/service.ts';
import { Webhook } from '../resources/webhook.ts';
import type { PlacedRows } from '../target-declaration.ts';
import { undocumented, read } from './common.ts';

/** A read of a list of the organization. */
export const listInOrganization = <const Name extends string, const Segment extends string, Row extends z.ZodType>(
  name: Name,
  segment: Segment,
  row: Row,
  summary: string,
  are?: PlacedRows['are'],
) =>
  operation({
    ...read,
    name,
    path: `/organization/{organizationId}/${segment}`,
    query: pageQuery,
    response: listOf(row),
    summary,
    ...(are && { placedRows: { member: 'results', are } }),
  });

/** Operations outside the API document: the resources of an organization. */
export const organizationExtensions = {
  list_environments: operation({
    ...read,
    name: 'list_environments',
    path: '/project/{projectId}/environment',
    query: pageQuery,
    response: listOf(Environment),
    placedRows: { member: 'results', are: 'environments' },
    summary: 'List the environments of a project.',
  }),
  list_clusters: listInOrganization(
    'list_clusters',
    'cluster',
    Cluster,
    'List the clusters of an organization.',
    'clusters',
  ),
  get_cluster_status: operation({
    ...read,
    name: 'get_cluster_status',
    path: '/organization/{organizationId}/cluster/{clusterId}/status',
    response: ClusterStatus,
    summary: "Read a cluster's state, lock and next version.",
  }),
  get_cluster_advanced_settings: operation({
    ...read,
    name: 'get_cluster_advanced_settings',
    path: '/organization/{organizationId}/cluster/{clusterId}/advancedSettings',
    response: AdvancedSettings,
    summary: "Read a cluster's advanced settings: limits and timeouts.",
  }),
  list_cluster_locks: listInOrganization(
    'list_cluster_locks',
    'cluster/lock',
    ClusterLock,
    'List the locks on clusters of an organization.',
  ),
  list_locks: listInOrganization(
    'list_locks',
    'lock',
    ClusterLock,
    'List the locks on clusters of an organization, under its other path.',
  ),
  list_alert_rules: listInOrganization(
    'list_alert_rules',
    'alert-rules',
    ListedAlertRule,
    'List the alert rules of an organization.',
    'alert rules',
  ),
  get_alert_rule: operation({
    ...read,
    name: 'get_alert_rule',
    path: '/alert-rules/{alertRuleId}',
    response: AlertRule,
    summary: 'Read an alert rule.',
  }),
  list_alert_receivers: listInOrganization(
    'list_alert_receivers',
    'alert-receivers',
    AlertReceiver,
    'List where alerts are sent.',
  ),
  list_webhooks: listInOrganization('list_webhooks', 'webhook', Webhook, 'List the webhooks, without their secrets.'),
  list_labels_groups: listInOrganization('list_labels_groups', 'labelsGroups', LabelsGroup, 'List the labels groups.'),
  list_annotations_groups: listInOrganization(
    'list_annotations_groups',
    'annotationsGroups',
    AnnotationsGroup,
    'List the annotations groups.',
  ),
  list_helm_repositories: listInOrganization(
    'list_helm_repositories',
    'helmRepository',
    HelmRepository,
    'List the helm repositories, without credentials.',
  ),
  get_billing_info: operation({
    ...read,
    name: 'get_billing_info',
    path: '/organization/{organizationId}/billingInfo',
    response: BillingInfo,
    summary: 'Read the billing information.',
  }),
  unlock_cluster: operation({
    ...undocumented,
    name: 'unlock_cluster',
    method: 'DELETE',
    path: '/cluster/{clusterId}/lock',
    effect: 'disruptive',
    permission: 'admin',
    target: 'cluster',
    summary: "Remove a cluster's lock.",
  }),
} as const;
