/**
 * What platforms of this kind answer beyond the document, typed by hand in the notation of document-shapes.ts; and
 * which shape the answer of each operation has. Nothing here is imported from the contract.
 */
import { endpoints } from './document.ts';
import { conditionAt, helmRepositoryConfig, shapes } from './document-shapes.ts';

const identity = `
  id           uuid required
  created_at   date-time required
  updated_at   date-time required`;

const service = (type: string) => `${identity}
  name             string required
  description      string
  service_type     ${type} required
  environment.id   uuid required
  icon_uri         uri`;

const outlook = `
    stopped_by_timetable   boolean
    starts_at              date-time
    stops_at               date-time
    refused_until          date-time
    refused_by             string
    refused_because        string
    ends_at                date-time
    end_reason             string
    end_set_by             string`;

const source = (at: string) => `
  ${at}.url            string required
  ${at}.provider       string
  ${at}.owner          string
  ${at}.name           string
  ${at}.has_access     boolean
  ${at}.branch         string
  ${at}.root_path      string
  ${at}.deployed_commit_id            string
  ${at}.deployed_commit_date          date-time
  ${at}.deployed_commit_contributor   string
  ${at}.deployed_commit_tag           string
  ${at}.git_token_id   string nullable`;

const command = (at: string) => `
  ${at}.entrypoint    string
  ${at}.arguments[]   string`;

/** The lines of a container that begin with this member. */
const sharedWith = (member: string): string =>
  shapes.container
    .split('\n')
    .filter((text) => text.trim().replace('+', '').startsWith(member))
    .join('\n');

const line = `
  results[].id           uuid required
  results[].created_at   date-time required
  results[].message      string required
  results[].pod_name     string required
  results[].version      string required
  results[].condition    object
  ${conditionAt('results[].condition')}`;

const pagination = `
  pagination.page          integer required
  pagination.page_size     integer required
  pagination.total_count   integer required
  pagination.total_pages   integer required`;

const inList = (text: string) => text.replaceAll(/^(\s*)\+?(?=[a-z])/gm, '$1results[].');

/** The states of services, as their statuses have them. */
const deploymentStates = /^\s*state\s+(\S+)$/m.exec(shapes['service status'])![1]!;

const backup = `
  id             uuid required
  name           string required
  message        string required
  status.state   ${deploymentStates} required
  created_at     date-time required
  ended_at       date-time
  node           string
  bytes          integer
  reason         string`;

const targetTypes = 'CLUSTER|ENVIRONMENT|APPLICATION|CONTAINER|JOB|CRONJOB|HELM|TERRAFORM';

const apiToken = `
    id             uuid required
    created_at     date-time required
    name           string required
    permission     read|deploy|write|admin required
    expires_at     date-time
    last_used_at   date-time
    member_id      uuid
    member_name    string
    is_current     boolean`;

const extensionShapes = {
  ...shapes,
  'alert rule': shapes['alert rule'].replace(/^(\s*target\.target_type\s+)string$/m, `$1${targetTypes}`),
  webhook: `${identity}
    kind                STANDARD|SLACK required
    target_url          string required
    events[]            string
    enabled             boolean required
    description         string
    target_secret_set   boolean required
    project_names_filter[]       string
    environment_types_filter[]   string`,
  'job run': `
    execution_id   uuid required
    job_id         uuid required
    state          ${deploymentStates} required
    created_at     date-time required
    triggered_by   string required
    arguments[]    string`,
  'advanced settings': '',
  'service uses': `
    results[].service_id         uuid required
    results[].service_name       string required
    results[].service_type       string required
    results[].environment_id     uuid required
    results[].environment_name   string required
    results[].project_id         uuid required
    results[].project_name       string`,
  'any variable': `${shapes.variable.replace(/^(\s*value\s+string)$/m, '$1 nullable')}
    is_secret   boolean required`,
  log: `${line}
    instances_since   date-time`,
  'environment log': `${line}
    results[].step                    string nullable
    results[].service_id              uuid required
    results[].service_name            string required
    results[].deployment_request_id   uuid required`,
  job: `${service('JOB')}
    job_type                         CRON|LIFECYCLE required
    schedule.cronjob.scheduled_at    string required
    schedule.cronjob.timezone        string required
    ${command('schedule.cronjob')}
    ${command('schedule.on_start')}
    ${command('schedule.on_stop')}
    ${command('schedule.on_delete')}
    schedule.lifecycle_type          string
    source.image.image_name          string required
    source.image.tag                 string required
    source.image.registry_id         uuid
    ${source('source.docker.git_repository')}
    source.docker.dockerfile_path             string nullable
    source.docker.dockerfile_raw              string nullable
    source.docker.docker_target_build_stage   string nullable
    ${sharedWith('healthchecks')}
    ${sharedWith('annotations_groups')}
    ${sharedWith('labels_groups')}
    gpu                              integer
    port                             integer nullable
    auto_preview                     boolean
    auto_deploy                      boolean nullable
    cpu                              integer required
    memory                           integer required
    max_duration_seconds             integer required
    max_nb_restart                   integer required`,
  terraform: `${service('TERRAFORM')}
    auto_deploy                                      boolean required
    ${source('terraform_files_source.git.git_repository')}
    terraform_variables_source.tf_var_file_paths[]   string
    provider_version.read_from_terraform_block       boolean required
    provider_version.explicit_version                string
    engine                                           string
    backend.kubernetes                               object
    backend.user_provided                            object
    timeout_sec                                      integer required
    cpu                                              integer required
    memory                                           integer required`,
  'terraform plan': `
    id             uuid required
    status         QUEUED|ONGOING|SUCCESS|ERROR|CANCELED required
    created_at     date-time required
    ended_at       date-time
    triggered_by   string required
    commit.created_at        date-time required
    commit.git_commit_id     string required
    commit.tag               string required
    commit.message           string required
    commit.author_name       string required
    commit.author_avatar_url uri
    commit.commit_page_url   uri
    reason         string
    digest         string
    to_add         integer
    to_change      integer
    to_destroy     integer
    text           string
    is_shortened   boolean
    obstacle       string`,
  cluster: `${identity}
    name              string required
    description       string
    organization.id   uuid required
    region            string required
    cloud_provider    string required
    version           string required
    is_default        boolean required
    production        boolean required
    status            ${/^\s*status\s+(\S+)/m.exec(shapes['cluster status'])![1]!} required
    is_locked         boolean required
    nodes[].id                string required
    nodes[].name              string required
    nodes[].role              MANAGER|WORKER required
    nodes[].availability      ACTIVE|PAUSE|DRAIN required
    nodes[].state             READY|DOWN|UNKNOWN|DISCONNECTED required
    nodes[].state_since       date-time required
    nodes[].address           string
    nodes[].labels            object
    nodes[].cpu               integer required
    nodes[].cpu_allotted      integer required
    nodes[].memory            integer required
    nodes[].memory_allotted   integer required
    nodes[].cpu_used          integer
    nodes[].memory_used       integer
    nodes[].instances         integer required
    warnings[]                string
    ${conditionAt('conditions[]')}`,
  'alert receiver': `${identity}
    name                string required
    description         string
    type                string required
    send_resolved       boolean
    owner               string
    severity            string
    to                  string
    from                string
    smarthost           string
    auth_username       string
    require_tls         boolean
    webhook_url_set     boolean
    auth_password_set   boolean
    problem             string`,
  'receiver test': `
    delivered   boolean
    reason      string`,
  'annotations group': `${identity}
    name                  string required
    annotations[].key     string
    annotations[].value   string
    scopes[]              DEPLOYMENTS|STATEFUL_SETS|SERVICES|INGRESS|GATEWAY_API_ROUTES|HPA|PODS|SECRETS|JOBS|CRON_JOBS`,
  registry: `${identity}
    name          string required
    kind          string required
    url           uri required
    description   string
    ${helmRepositoryConfig}
    config.service_account_email    string
    config.token_lifetime_seconds   integer
    associated_services_count       integer required`,
  charts: `
    results[].chart_name   string required
    results[].versions[]   string`,
  'git token': `${identity}
    name           string required
    type           string required
    description    string
    git_api_url    uri
    expired_at     date-time
    associated_services_count   integer required`,
  'service of an organization': `
    id                 uuid required
    name               string required
    description        string
    service_type       APPLICATION|CONTAINER|DATABASE|JOB|HELM|TERRAFORM required
    job_type           CRON|LIFECYCLE
    icon_uri           uri
    project_id         uuid required
    project_name       string required
    environment_id     uuid required
    environment_name   string required
    cluster_id         uuid required
    last_deployment_by string
    ${shapes['service status'].replaceAll(/^(\s*)\+?(?=[a-z])/gm, '$1status.')}`,
  'environment of an organization': `
    id                uuid required
    name              string required
    mode              DEVELOPMENT|STAGING|PRODUCTION required
    project.id        uuid required
    project.name      string
    organization.id   uuid required
    cluster_id        uuid
    cluster_name      string${outlook}`,
  link: `
    service_id           uuid required
    service_type         APPLICATION|CONTAINER|HELM required
    url                  uri required
    internal_port        integer
    external_port        integer
    is_default           boolean required
    is_platform_domain   boolean`,
  events: `
    events[].id                      uuid required
    events[].timestamp               date-time required
    events[].event_type              string required
    events[].target_type             string required
    events[].target_id               uuid nullable
    events[].target_name             string required
    events[].sub_target_type         string nullable
    events[].change                  string required
    events[].original_change         string nullable
    events[].origin                  string required
    events[].triggered_by            string required
    events[].user_agent              string nullable
    events[].project_id              uuid nullable
    events[].project_name            string nullable
    events[].environment_id          uuid nullable
    events[].environment_name        string nullable
    links.previous                   string required nullable
    links.next                       string required nullable
    organization_max_limit_reached   boolean required
    events_since                     date-time`,
  'environment overview': `
    id                                uuid required
    name                              string required
    mode                              DEVELOPMENT|STAGING|PRODUCTION required
    cluster.id                        uuid required
    cluster.name                      string required
    cluster.is_demo                   boolean required
    services_overview.service_count   integer required
    ${shapes['environment status'].replaceAll(/^(\s*)\+?(?=[a-z])/gm, '$1deployment_status.')}${outlook}`,
  domain: `${identity}
    domain                 string required
    generate_certificate   boolean required
    use_cdn                boolean required
    validation_domain      string required
    status                 VALIDATION_PENDING required`,
  backup,
  backups: `${inList(backup)}
    page        integer required
    page_size   integer required`,
  recovery: `${backup.replaceAll(/^(\s*)(?=[a-z])/gm, '$1backup.').replaceAll(/ required$/gm, '')}
    node            string
    node_lost       string
    to_node         string
    old_volume      string
    refusal         string
    may_come_back   string
    no_backups      string`,
  'domain check': `
    results[].domain_name     string required
    results[].status          MATCHES_LOAD_BALANCER_HOST|RESOLVES_TO_IP|DOMAIN_NOT_CONFIGURED|DOMAIN_LINKED_TO_WRONG_HOST|GENERIC_FAILURE required
    results[].error_details   string required nullable`,
  commit: `
    created_at          date-time required
    git_commit_id       string required
    tag                 string required
    message             string required
    author_name         string required
    author_avatar_url   uri
    commit_page_url     uri`,
  role: `
    id            uuid required
    name          string required
    description   string
    permission    read|deploy|write|admin`,
  'custom role': `
    id                                                        uuid required
    name                                                      string required
    description                                               string
    cluster_permissions[].cluster_id                          uuid required
    cluster_permissions[].cluster_name                        string
    cluster_permissions[].permission                          string required
    project_permissions[].project_id                          uuid required
    project_permissions[].project_name                        string
    project_permissions[].is_admin                            boolean required
    project_permissions[].permissions[].environment_type      string required
    project_permissions[].permissions[].permission            string required`,
  'api token': apiToken,
  'new api token': `${apiToken}
    token          string required`,
  'deployment rule': `
    id                  uuid required
    timezone            string required
    start_time          date-time required
    stop_time           date-time required
    weekdays[]          MONDAY|TUESDAY|WEDNESDAY|THURSDAY|FRIDAY|SATURDAY|SUNDAY
    auto_stop           boolean required
    auto_preview        boolean required
    on_demand_preview   boolean required`,
  'deployment window': `${identity}
    name              string required
    reason            string
    target_type       CLUSTER|PROJECT|ENVIRONMENT required
    target_id         uuid required
    target_name       string required
    production_only   boolean required
    begins            string required
    ends              string required
    time_zone         string required
    owner_name        string required
    in_force          boolean required
    from              date-time
    until             date-time`,
};

/**
 * The shape of an answer: its lines, and whether it is a list of such rows. A list of services has a shape per type.
 */
export interface AnswerShape {
  readonly text: string;
  readonly rowsByType?: Readonly<Record<string, string>>;
}

type Name = keyof typeof extensionShapes;

const one = (name: Name): AnswerShape => ({ text: extensionShapes[name] });
const list = (name: Name): AnswerShape => ({ text: `${inList(extensionShapes[name])}${pagination}` });

const whole = (name: Name): AnswerShape => ({ text: inList(extensionShapes[name]) });

const kinds = ['application', 'container', 'database', 'job', 'helm', 'terraform'] as const;

const beyond: Readonly<Record<string, AnswerShape>> = {
  'GET /project/{projectId}/environment': list('environment'),
  'GET /environment/{environmentId}/link': whole('link'),
  ...Object.fromEntries(
    ['application', 'container', 'helm'].map((kind) => [`GET /${kind}/{${kind}Id}/link`, whole('link')]),
  ),
  'GET /organization/{organizationId}/events': one('events'),
  'GET /organization/{organizationId}/services': whole('service of an organization'),
  'GET /organization/{organizationId}/environments': whole('environment of an organization'),
  'GET /project/{projectId}/environment/overview': whole('environment overview'),
  'GET /project/{projectId}/environment/status': whole('environment status'),
  'GET /environment/{environmentId}': one('environment'),
  'PUT /environment/{environmentId}': one('environment'),
  'GET /project/{projectId}': one('project'),
  'PUT /project/{projectId}': one('project'),
  'GET /environment/{environmentId}/services': {
    text: `results[] object\n${pagination}`,
    rowsByType: Object.fromEntries(kinds.map((kind) => [kind.toUpperCase(), extensionShapes[kind]])),
  },
  'GET /environment/{environmentId}/statuses': {
    text: ['environment', ...kinds.map((kind) => `${kind}s[]`)]
      .map((at) =>
        extensionShapes[at === 'environment' ? 'environment status' : 'service status'].replaceAll(
          /^(\s*)\+?(?=[a-z])/gm,
          `$1${at}.`,
        ),
      )
      .join('\n'),
  },
  ...Object.fromEntries(
    kinds.flatMap((kind): [string, AnswerShape][] => [
      [`GET /${kind}/{${kind}Id}`, one(kind)],
      [`GET /${kind}/{${kind}Id}/status`, one('service status')],
      [`GET /${kind}/{${kind}Id}/log`, one('log')],
      [`GET /${kind}/{${kind}Id}/deploymentHistoryV2`, one('job history')],
      [`POST /${kind}/{${kind}Id}/deploy`, one('deployment')],
      [`POST /${kind}/{${kind}Id}/redeploy`, one('service status')],
      [`POST /${kind}/{${kind}Id}/stop`, one('service status')],
    ]),
  ),
  ...Object.fromEntries(
    ['application', 'helm', 'job', 'terraform'].map((kind): [string, AnswerShape] => [
      `GET /${kind}/{${kind}Id}/commit`,
      whole('commit'),
    ]),
  ),
  'GET /environment/{environmentId}/deploymentHistoryV2': one('job history'),
  'GET /environment/{environmentId}/logs': one('environment log'),
  'GET /environment/{environmentId}/environmentVariable': list('variable'),
  'GET /container/{containerId}/environmentVariable': list('variable'),
  ...Object.fromEntries(
    ['application', 'container', 'job', 'project'].map((kind): [string, AnswerShape] => [
      `PUT /${kind}/{${kind}Id}/environmentVariable/{environmentVariableId}`,
      one('variable'),
    ]),
  ),
  'GET /organization/{organizationId}/cluster': list('cluster'),
  'GET /organization/{organizationId}/cluster/{clusterId}/status': one('cluster status'),
  'GET /organization/{organizationId}/cluster/{clusterId}/advancedSettings': one('advanced settings'),
  'GET /organization/{organizationId}/cluster/lock': list('cluster lock'),
  'GET /organization/{organizationId}/lock': list('cluster lock'),
  'GET /organization/{organizationId}/alert-rules': list('alert rule'),
  'GET /alert-rules/{alertRuleId}': one('alert rule'),
  'POST /alert-rules': one('alert rule'),
  'POST /alert-rules/{alertRuleId}/silence': one('alert rule'),
  'DELETE /alert-rules/{alertRuleId}/silence': one('alert rule'),
  'PUT /environment/{environmentId}/end': one('environment'),
  'DELETE /environment/{environmentId}/end': one('environment'),
  'GET /environment/{environmentId}/deploymentRule': one('deployment rule'),
  'PUT /environment/{environmentId}/deploymentRule/{deploymentRuleId}': one('deployment rule'),
  'GET /organization/{organizationId}/deploymentWindow': list('deployment window'),
  'POST /organization/{organizationId}/deploymentWindow': one('deployment window'),
  'GET /organization/{organizationId}/alert-receivers': list('alert receiver'),
  'POST /alert-receivers': one('alert receiver'),
  'GET /alert-receivers/{alertReceiverId}': one('alert receiver'),
  'PUT /alert-receivers/{alertReceiverId}': one('alert receiver'),
  'POST /alert-receivers/{alertReceiverId}/validate': one('receiver test'),
  'POST /alert-receivers/validate': one('receiver test'),
  'GET /organization/{organizationId}/webhook': list('webhook'),
  'POST /organization/{organizationId}/webhook': one('webhook'),
  'GET /organization/{organizationId}/webhook/{webhookId}': one('webhook'),
  'PUT /organization/{organizationId}/webhook/{webhookId}': one('webhook'),
  'POST /organization/{organizationId}/webhook/{webhookId}/test': one('webhook event'),
  'GET /organization/{organizationId}/labelsGroups': list('labels group'),
  'GET /organization/{organizationId}/annotationsGroups': list('annotations group'),
  'POST /organization/{organizationId}/labelsGroups': one('labels group'),
  'PUT /organization/{organizationId}/labelsGroups/{labelsGroupId}': one('labels group'),
  'GET /organization/{organizationId}/labelsGroups/{labelsGroupId}/associatedItems': one('service uses'),
  'POST /organization/{organizationId}/annotationsGroups': one('annotations group'),
  'GET /organization/{organizationId}/annotationsGroups/{annotationsGroupId}': one('annotations group'),
  'PUT /organization/{organizationId}/annotationsGroups/{annotationsGroupId}': one('annotations group'),
  'GET /organization/{organizationId}/annotationsGroups/{annotationsGroupId}/associatedItems': one('service uses'),
  'GET /organization/{organizationId}/helmRepository': list('helm repository'),
  'GET /organization/{organizationId}/helmRepository/{helmRepositoryId}': one('helm repository'),
  'PUT /organization/{organizationId}/helmRepository/{helmRepositoryId}': one('helm repository'),
  'GET /organization/{organizationId}/helmRepository/{helmRepositoryId}/associatedServices': one('service uses'),
  'GET /organization/{organizationId}/helmRepository/{helmRepositoryId}/charts': one('charts'),
  'GET /organization/{organizationId}/containerRegistry': list('registry'),
  'POST /organization/{organizationId}/containerRegistry': one('registry'),
  'GET /organization/{organizationId}/containerRegistry/{registryId}': one('registry'),
  'PUT /organization/{organizationId}/containerRegistry/{registryId}': one('registry'),
  'GET /organization/{organizationId}/containerRegistry/{registryId}/associatedServices': one('service uses'),
  'GET /organization/{organizationId}/gitToken': list('git token'),
  'POST /organization/{organizationId}/gitToken': one('git token'),
  'GET /organization/{organizationId}/gitToken/{gitTokenId}': one('git token'),
  'PUT /organization/{organizationId}/gitToken/{gitTokenId}': one('git token'),
  'GET /organization/{organizationId}/gitToken/{gitTokenId}/associatedServices': one('service uses'),
  'GET /organization/{organizationId}/availableRole': list('role'),
  'GET /organization/{organizationId}/inviteMember': list('invitation'),
  'GET /organization/{organizationId}/customRole': list('custom role'),
  'GET /organization/{organizationId}/apiToken': list('api token'),
  'POST /organization/{organizationId}/apiToken': one('new api token'),
  'GET /organization/{organizationId}/billingInfo': one('billing info'),
  ...Object.fromEntries(
    ['application', 'container', 'helm'].flatMap((kind): [string, AnswerShape][] => [
      [`GET /${kind}/{${kind}Id}/customDomain`, list('domain')],
      [`POST /${kind}/{${kind}Id}/customDomain`, one('domain')],
      [`GET /${kind}/{${kind}Id}/checkCustomDomain`, one('domain check')],
    ]),
  ),
  'GET /database/{databaseId}/backup': one('backups'),
  'POST /database/{databaseId}/backup': one('backup'),
  'GET /database/{databaseId}/recovery': one('recovery'),
  'POST /database/{databaseId}/restore': one('deployment'),
  'GET /job/{jobId}/environmentVariable': list('variable'),
  'GET /project/{projectId}/environmentVariable': list('variable'),
  'GET /variable': { text: one('any variable').text.replaceAll(/^(\s*)\+?(?=[a-z])/gm, '$1results[].') },
  'POST /variable': one('any variable'),
  'PUT /variable/{environmentVariableId}': one('any variable'),
  'POST /variable/{environmentVariableId}/override': one('any variable'),
  ...Object.fromEntries(
    ['application', 'container', 'job', 'environment', 'project'].map((kind): [string, AnswerShape] => [
      `GET /${kind}/{${kind}Id}/secret`,
      list('secret'),
    ]),
  ),
  ...Object.fromEntries(
    ['application', 'container', 'job', 'environment', 'project'].map((kind): [string, AnswerShape] => [
      `PUT /${kind}/{${kind}Id}/secret/{secretId}`,
      one('secret'),
    ]),
  ),
  ...Object.fromEntries(
    ['container', 'job', 'environment', 'project'].flatMap((kind): [string, AnswerShape][] => [
      [`POST /${kind}/{${kind}Id}/environmentVariable`, one('variable')],
      [`POST /${kind}/{${kind}Id}/secret`, one('secret')],
    ]),
  ),
  'POST /environment/{environmentId}/clone': one('environment'),
  'POST /environment/{environmentId}/deploy': one('environment status'),
  'PUT /application/{applicationId}': one('application'),
  'PUT /database/{databaseId}': one('database'),
  'PUT /job/{jobId}': one('job'),
  'POST /environment/{environmentId}/helm': one('helm'),
  'POST /job/{jobId}/run': one('job run'),
  'POST /job/{jobId}/run/cancel': one('job run'),
  'PUT /terraform/{terraformId}': one('terraform'),
  'POST /environment/{environmentId}/terraform': one('terraform'),
  'POST /terraform/{terraformId}/plan': one('terraform plan'),
  'GET /terraform/{terraformId}/plan': { text: `needs_plan  boolean\n${whole('terraform plan').text}` },
  'POST /environment/{environmentId}/container': one('container'),
  'POST /environment/{environmentId}/job': one('job'),
  'POST /environment/{environmentId}/service/deploy': one('environment status'),
  'POST /environment/{environmentId}/cancelDeployment': one('environment status'),
};

const documented = endpoints.flatMap(({ method, path, response, list: isList }): [string, AnswerShape][] =>
  response === undefined ? [] : [[`${method} ${path}`, isList ? list(response) : one(response)]],
);

/**
 * The shape of every answer, by method and path. What an answer beyond the document has in common with a documented one
 * has its shape.
 */
export const answerShapes: Readonly<Record<string, AnswerShape>> = { ...beyond, ...Object.fromEntries(documented) };
