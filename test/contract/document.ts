/**
 * The API document's endpoint table, states, errors and limits, typed again by hand from its text. Nothing here is
 * imported from the contract: the two are compared.
 */
import type { ShapeName } from './document-shapes.ts';

/** One row of the endpoint table; `body` and `response` name a shape of document-shapes.ts. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: string[];
  body?: ShapeName;
  response?: ShapeName;
  /** The answer is {results: [...]} of the response shape. */
  list?: boolean;
  /** From the table of effects: what carrying it out does. */
  effect: 'read' | 'write' | 'disruptive' | 'destructive' | 'sensitive';
  /** From the page about tokens: the least level that may call it. */
  permission: 'read' | 'deploy' | 'write' | 'admin';
}

const read = { effect: 'read', permission: 'read' } as const;
const adds = { effect: 'write', permission: 'write' } as const;
const replaces = { effect: 'destructive', permission: 'write' } as const;
/** Replaced after somebody has seen all of it, which the table of effects does not know. */
const replacesShown = { ...replaces, effect: 'disruptive' } as const;

/** The endpoint table, in its order. */
export const endpoints: Endpoint[] = [
  { method: 'GET', path: '/organization', response: 'organization', ...read },
  { method: 'GET', path: '/organization/{organizationId}/project', response: 'project', list: true, ...read },
  {
    method: 'POST',
    path: '/organization/{organizationId}/project',
    body: 'project create',
    response: 'project',
    ...adds,
  },
  {
    method: 'POST',
    path: '/project/{projectId}/environment',
    body: 'environment create',
    response: 'environment',
    ...adds,
  },
  {
    method: 'POST',
    path: '/environment/{environmentId}/application',
    body: 'application create',
    response: 'application',
    ...adds,
  },
  {
    method: 'POST',
    path: '/environment/{environmentId}/database',
    body: 'database create',
    response: 'database',
    ...adds,
  },
  { method: 'POST', path: '/database/{databaseId}/deploy', effect: 'write', permission: 'deploy' },
  {
    method: 'POST',
    path: '/application/{applicationId}/deploy',
    body: 'deploy',
    response: 'deployment',
    effect: 'write',
    permission: 'deploy',
  },
  { method: 'GET', path: '/application/{applicationId}/status', response: 'application status', ...read },
  {
    method: 'POST',
    path: '/application/{applicationId}/environmentVariable',
    body: 'variable create',
    response: 'variable',
    ...adds,
  },
  {
    method: 'GET',
    path: '/application/{applicationId}/environmentVariable',
    response: 'variable',
    list: true,
    ...read,
  },
  { method: 'POST', path: '/application/{applicationId}/secret', body: 'secret create', response: 'secret', ...adds },
  { method: 'GET', path: '/application/{applicationId}/log', query: ['tail'], ...read },
  {
    method: 'PUT',
    path: '/environment/{environmentId}/environmentVariable/{environmentVariableId}',
    body: 'variable edit',
    response: 'variable',
    ...replaces,
  },
  {
    method: 'POST',
    path: '/container/{containerId}/environmentVariable/{environmentVariableId}/override',
    body: 'variable override',
    response: 'variable',
    ...adds,
  },
  { method: 'PUT', path: '/container/{containerId}', body: 'container edit', response: 'container', ...replacesShown },
  {
    method: 'POST',
    path: '/environment/{environmentId}/service/restart-service',
    body: 'restart',
    response: 'restarted services',
    effect: 'disruptive',
    permission: 'deploy',
  },
  {
    method: 'POST',
    path: '/environment/{environmentId}/stop',
    response: 'environment status',
    effect: 'destructive',
    permission: 'deploy',
  },
  { method: 'PUT', path: '/helm/{helmId}', body: 'helm edit', response: 'helm', ...replacesShown },
  { method: 'GET', path: '/helm/{helmId}', response: 'helm', ...read },
  {
    method: 'POST',
    path: '/terraform/{terraformId}/redeploy',
    response: 'service status',
    effect: 'disruptive',
    permission: 'deploy',
  },
  {
    method: 'POST',
    path: '/cluster/{clusterId}/lock',
    body: 'cluster lock request',
    response: 'cluster lock',
    effect: 'disruptive',
    permission: 'admin',
  },
  {
    method: 'POST',
    path: '/cluster/{clusterId}/upgrade',
    response: 'cluster status',
    effect: 'destructive',
    permission: 'admin',
  },
  { method: 'GET', path: '/organization/{organizationId}/member', response: 'member', list: true, ...read },
  {
    method: 'POST',
    path: '/organization/{organizationId}/inviteMember',
    body: 'invitation request',
    response: 'invitation',
    effect: 'sensitive',
    permission: 'admin',
  },
  { method: 'PUT', path: '/alert-rules/{alertRuleId}', body: 'alert rule edit', response: 'alert rule', ...replaces },
  {
    method: 'POST',
    path: '/organization/{organizationId}/helmRepository',
    body: 'helm repository request',
    response: 'helm repository',
    effect: 'sensitive',
    permission: 'write',
  },
  {
    method: 'PUT',
    path: '/organization/{organizationId}/billingInfo',
    body: 'billing info request',
    response: 'billing info',
    effect: 'sensitive',
    permission: 'admin',
  },
  { method: 'GET', path: '/job/{jobId}/deploymentHistoryV2', query: ['pageSize'], response: 'job history', ...read },
  {
    method: 'GET',
    path: '/organization/{organizationId}/labelsGroups/{labelsGroupId}',
    response: 'labels group',
    ...read,
  },
  {
    method: 'POST',
    path: '/organization/{organizationId}/webhook',
    body: 'webhook create',
    effect: 'sensitive',
    permission: 'admin',
  },
  {
    method: 'GET',
    path: '/organization/{organizationId}/webhook/{webhookId}/event',
    response: 'webhook event',
    list: true,
    ...read,
  },
];

/** Query members that every list takes beside those of the table: rule 3 of the endpoints. */
export const pageQuery = ['page', 'page_size'];

/** What platforms of this kind serve beyond the document: method and path, in no order. */
export const extensionEndpoints: string[] = [
  'GET /project/{projectId}/environment',
  'GET /environment/{environmentId}',
  'PUT /environment/{environmentId}',
  ...['PUT', 'DELETE'].map((method) => `${method} /environment/{environmentId}/end`),
  'GET /environment/{environmentId}/deploymentRule',
  'PUT /environment/{environmentId}/deploymentRule/{deploymentRuleId}',
  ...['GET', 'POST'].map((method) => `${method} /organization/{organizationId}/deploymentWindow`),
  'DELETE /organization/{organizationId}/deploymentWindow/{deploymentWindowId}',
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /project/{projectId}`),
  'GET /environment/{environmentId}/services',
  'GET /environment/{environmentId}/statuses',
  ...['application', 'container', 'database', 'job', 'terraform'].map((kind) => `GET /${kind}/{${kind}Id}`),
  ...['container', 'database', 'job', 'helm', 'terraform'].flatMap((kind) => [
    `GET /${kind}/{${kind}Id}/status`,
    `GET /${kind}/{${kind}Id}/log`,
  ]),
  ...['application', 'container', 'database', 'helm', 'terraform', 'environment'].map(
    (kind) => `GET /${kind}/{${kind}Id}/deploymentHistoryV2`,
  ),
  ...['application', 'helm', 'job', 'terraform'].map((kind) => `GET /${kind}/{${kind}Id}/commit`),
  'GET /environment/{environmentId}/logs',
  'GET /database/{databaseId}/backup',
  'POST /database/{databaseId}/backup',
  'DELETE /database/{databaseId}/backup/{backupId}',
  'GET /database/{databaseId}/recovery',
  'POST /database/{databaseId}/restore',
  'GET /environment/{environmentId}/environmentVariable',
  'GET /container/{containerId}/environmentVariable',
  'GET /organization/{organizationId}/cluster',
  'GET /organization/{organizationId}/cluster/{clusterId}/status',
  'GET /organization/{organizationId}/cluster/{clusterId}/advancedSettings',
  'GET /organization/{organizationId}/cluster/lock',
  'GET /organization/{organizationId}/lock',
  'GET /environment/{environmentId}/link',
  ...['application', 'container', 'helm'].map((kind) => `GET /${kind}/{${kind}Id}/link`),
  'GET /organization/{organizationId}/events',
  'GET /organization/{organizationId}/services',
  'GET /organization/{organizationId}/environments',
  'GET /project/{projectId}/environment/overview',
  'GET /project/{projectId}/environment/status',
  'GET /organization/{organizationId}/alert-rules',
  'GET /alert-rules/{alertRuleId}',
  'POST /alert-rules',
  'DELETE /alert-rules/{alertRuleId}',
  'POST /alert-rules/{alertRuleId}/silence',
  'DELETE /alert-rules/{alertRuleId}/silence',
  'GET /organization/{organizationId}/alert-receivers',
  'POST /alert-receivers',
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /alert-receivers/{alertReceiverId}`),
  'POST /alert-receivers/{alertReceiverId}/validate',
  'POST /alert-receivers/validate',
  'GET /organization/{organizationId}/webhook',
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /organization/{organizationId}/webhook/{webhookId}`),
  'POST /organization/{organizationId}/webhook/{webhookId}/test',
  'GET /organization/{organizationId}/labelsGroups',
  'GET /organization/{organizationId}/annotationsGroups',
  'POST /organization/{organizationId}/labelsGroups',
  ...['PUT', 'DELETE'].map((method) => `${method} /organization/{organizationId}/labelsGroups/{labelsGroupId}`),
  'GET /organization/{organizationId}/labelsGroups/{labelsGroupId}/associatedItems',
  'POST /organization/{organizationId}/annotationsGroups',
  ...['GET', 'PUT', 'DELETE'].map(
    (method) => `${method} /organization/{organizationId}/annotationsGroups/{annotationsGroupId}`,
  ),
  'GET /organization/{organizationId}/annotationsGroups/{annotationsGroupId}/associatedItems',
  'GET /organization/{organizationId}/helmRepository',
  ...['GET', 'PUT', 'DELETE'].map(
    (method) => `${method} /organization/{organizationId}/helmRepository/{helmRepositoryId}`,
  ),
  'GET /organization/{organizationId}/helmRepository/{helmRepositoryId}/associatedServices',
  'GET /organization/{organizationId}/helmRepository/{helmRepositoryId}/charts',
  ...['GET', 'POST'].map((method) => `${method} /organization/{organizationId}/containerRegistry`),
  ...['GET', 'PUT', 'DELETE'].map(
    (method) => `${method} /organization/{organizationId}/containerRegistry/{registryId}`,
  ),
  'GET /organization/{organizationId}/containerRegistry/{registryId}/associatedServices',
  ...['GET', 'POST'].map((method) => `${method} /organization/{organizationId}/gitToken`),
  ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /organization/{organizationId}/gitToken/{gitTokenId}`),
  'GET /organization/{organizationId}/gitToken/{gitTokenId}/associatedServices',
  'GET /organization/{organizationId}/availableRole',
  'GET /organization/{organizationId}/customRole',
  'PUT /organization/{organizationId}/member',
  'DELETE /organization/{organizationId}/member',
  'GET /organization/{organizationId}/inviteMember',
  'DELETE /organization/{organizationId}/inviteMember/{invitationId}',
  'GET /organization/{organizationId}/apiToken',
  'POST /organization/{organizationId}/apiToken',
  'DELETE /organization/{organizationId}/apiToken/{apiTokenId}',
  'GET /organization/{organizationId}/billingInfo',
  'POST /container/{containerId}/deploy',
  'POST /helm/{helmId}/deploy',
  'POST /job/{jobId}/deploy',
  ...['application', 'container', 'helm', 'job'].map((kind) => `POST /${kind}/{${kind}Id}/redeploy`),
  ...['application', 'container', 'database', 'helm', 'job'].map((kind) => `POST /${kind}/{${kind}Id}/stop`),
  ...['application', 'database', 'job', 'terraform'].map((kind) => `PUT /${kind}/{${kind}Id}`),
  ...['container', 'job', 'helm', 'terraform'].map((kind) => `POST /environment/{environmentId}/${kind}`),
  'POST /job/{jobId}/run',
  'POST /job/{jobId}/run/cancel',
  'GET /terraform/{terraformId}/plan',
  'POST /terraform/{terraformId}/plan',
  'POST /environment/{environmentId}/deploy',
  'POST /environment/{environmentId}/cancelDeployment',
  'DELETE /cluster/{clusterId}/lock',
  ...['application', 'container', 'job'].map(
    (kind) => `PUT /${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
  ),
  'POST /environment/{environmentId}/service/stop',
  'POST /environment/{environmentId}/service/deploy',
  ...['application', 'container', 'database', 'job', 'helm', 'terraform', 'environment'].map(
    (kind) => `DELETE /${kind}/{${kind}Id}`,
  ),
  'POST /environment/{environmentId}/clone',
  ...['container', 'job', 'environment'].flatMap((kind) => [
    `POST /${kind}/{${kind}Id}/environmentVariable`,
    `POST /${kind}/{${kind}Id}/secret`,
  ]),
  'GET /job/{jobId}/environmentVariable',
  ...['application', 'container', 'job', 'environment'].flatMap((kind) => [
    `GET /${kind}/{${kind}Id}/secret`,
    `PUT /${kind}/{${kind}Id}/secret/{secretId}`,
    `DELETE /${kind}/{${kind}Id}/secret/{secretId}`,
    `DELETE /${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
  ]),
  'GET /project/{projectId}/environmentVariable',
  'POST /project/{projectId}/environmentVariable',
  'PUT /project/{projectId}/environmentVariable/{environmentVariableId}',
  'DELETE /project/{projectId}/environmentVariable/{environmentVariableId}',
  'GET /project/{projectId}/secret',
  'POST /project/{projectId}/secret',
  'PUT /project/{projectId}/secret/{secretId}',
  'DELETE /project/{projectId}/secret/{secretId}',
  'GET /variable',
  'POST /variable',
  'PUT /variable/{environmentVariableId}',
  'DELETE /variable/{environmentVariableId}',
  'POST /variable/{environmentVariableId}/override',
  ...['application', 'container', 'helm'].flatMap((kind) => [
    `GET /${kind}/{${kind}Id}/customDomain`,
    `POST /${kind}/{${kind}Id}/customDomain`,
    `DELETE /${kind}/{${kind}Id}/customDomain/{customDomainId}`,
    `GET /${kind}/{${kind}Id}/checkCustomDomain`,
  ]),
];

/** Status codes of failures, of the errors section. */
export const failureCodes = [400, 401, 403, 404, 429, 500];

export const limits = {
  requestsPerHour: 1000,
  rateHeaders: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  historyPageSize: 20,
};

/** Kinds of helm repositories; a vendor's name stands where the document has a numbered placeholder. */
export const helmRepositoryKinds = [
  'HTTPS',
  'OCI_ECR',
  'OCI_PUBLIC_ECR',
  'OCI_GENERIC_CR',
  'OCI_ALPHA_CR',
  'OCI_BETA_HUB',
  'OCI_GAMMA_CR',
  'OCI_DELTA_CR',
];
