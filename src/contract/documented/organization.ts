import { operation } from '../operation.ts';
import { listOf, pageQuery } from '../primitives.ts';
import { AlertRule, AlertRuleRequest } from '../resources/alert-rule.ts';
import { ClusterLock, ClusterLockRequest, ClusterStatus } from '../resources/cluster.ts';
import { HelmRepository, HelmRepositoryRequest } from '../resources/helm-repository.ts';
import { DeploymentHistory, historyQuery } from '../resources/job.ts';
import {
  BillingInfo,
  BillingInfoRequest,
  Invitation,
  InvitationRequest,
  Member,
  Organization,
} from '../resources/organization.ts';
import { LabelsGroup } from '../resources/service.ts';
import { Webhook, WebhookEvent, WebhookRequest } from '../resources/webhook.ts';

/**
 * The documented operations on clusters and on the rest of an organization, in the document's order, which has the
 * history of a job among them.
 */
export const documentedOrganizationOperations = {
  lock_cluster: operation({
    name: 'lock_cluster',
    method: 'POST',
    path: '/cluster/{clusterId}/lock',
    body: ClusterLockRequest,
    response: ClusterLock,
    effect: 'disruptive',
    permission: 'admin',
    target: 'cluster',
    summary: 'Refuse changes to what a cluster hosts, for some days.',
  }),
  upgrade_cluster: operation({
    name: 'upgrade_cluster',
    method: 'POST',
    path: '/cluster/{clusterId}/upgrade',
    response: ClusterStatus,
    effect: 'destructive',
    permission: 'admin',
    target: 'cluster',
    summary: 'Upgrade a cluster to the next orchestrator version.',
  }),
  list_members: operation({
    name: 'list_members',
    method: 'GET',
    path: '/organization/{organizationId}/member',
    query: pageQuery,
    response: listOf(Member),
    effect: 'read',
    summary: 'List the members of an organization.',
  }),
  invite_member: operation({
    name: 'invite_member',
    method: 'POST',
    path: '/organization/{organizationId}/inviteMember',
    body: InvitationRequest,
    response: Invitation,
    effect: 'sensitive',
    permission: 'admin',
    target: 'organization',
    creates: { kind: 'invitation', in: 'organization' },
    summary: 'Invite someone into an organization.',
  }),
  update_alert_rule: operation({
    name: 'update_alert_rule',
    method: 'PUT',
    path: '/alert-rules/{alertRuleId}',
    body: AlertRuleRequest,
    response: AlertRule,
    effect: 'destructive',
    target: 'alert_rule',
    roles: { alert_receiver_ids: { pointsAt: 'alert_receiver' } },
    summary: 'Replace an alert rule.',
  }),
  create_helm_repository: operation({
    name: 'create_helm_repository',
    method: 'POST',
    path: '/organization/{organizationId}/helmRepository',
    body: HelmRepositoryRequest,
    response: HelmRepository,
    effect: 'sensitive',
    target: 'organization',
    creates: { kind: 'helm_repository', in: 'organization' },
    roles: { 'config.vendor_project_id': 'unrelated' },
    summary: 'Link a helm repository, with its credentials.',
  }),
  update_billing_info: operation({
    name: 'update_billing_info',
    method: 'PUT',
    path: '/organization/{organizationId}/billingInfo',
    body: BillingInfoRequest,
    response: BillingInfo,
    effect: 'sensitive',
    permission: 'admin',
    target: 'organization',
    summary: "Replace an organization's billing information.",
  }),
  list_job_deployments: operation({
    name: 'list_job_deployments',
    method: 'GET',
    path: '/job/{jobId}/deploymentHistoryV2',
    query: historyQuery,
    response: DeploymentHistory,
    effect: 'read',
    summary: "List a job's deployments, newest first.",
  }),
  get_labels_group: operation({
    name: 'get_labels_group',
    method: 'GET',
    path: '/organization/{organizationId}/labelsGroups/{labelsGroupId}',
    response: LabelsGroup,
    effect: 'read',
    summary: 'Read a labels group.',
  }),
  create_webhook: operation({
    name: 'create_webhook',
    method: 'POST',
    path: '/organization/{organizationId}/webhook',
    body: WebhookRequest,
    response: Webhook,
    effect: 'sensitive',
    permission: 'admin',
    target: 'organization',
    creates: { kind: 'webhook', in: 'organization' },
    summary: 'Have deployment events posted to an address.',
  }),
  list_webhook_events: operation({
    name: 'list_webhook_events',
    method: 'GET',
    path: '/organization/{organizationId}/webhook/{webhookId}/event',
    query: pageQuery,
    response: listOf(WebhookEvent),
    effect: 'read',
    placedRows: { member: 'results', are: 'deliveries' },
    summary: 'List the attempted deliveries of a webhook, newest first.',
  }),
} as const;

/**
 * `get_organization` on platforms whose tokens have several organizations: all of them. Servers that implement the
 * contract have one operation for both.
 */
export const everyOrganization = operation({
  name: 'list_organizations',
  method: 'GET',
  path: '/organization',
  response: listOf(Organization.omit({ results: true })),
  effect: 'read',
  summary: 'List the organizations of the token.',
});
