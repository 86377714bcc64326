/**
 * The document's resources and request bodies, typed again by hand, a field a line:
 *
 *     path  type  marks
 *
 * `[]` in a path goes into an array. Types: string, integer, number, boolean, object, array, uuid, date-time, uri,
 * email, duration;
 * `A|B` is a closed set of values; `seen:A|B` are values the document shows of an open set.
 * A value, a mark or a whole line that begins with `+` is not in the document but fills one of its silences.
 * Marks: required (in requests: must be given; in answers: always there), nullable, and default=, minimum=, maximum=,
 * maxLength=, minItems=.
 */
const states =
  'BUILDING|BUILD_ERROR|CANCELED|CANCELING|DELETED|DELETE_ERROR|DELETE_QUEUED|DELETING|DEPLOYED|DEPLOYING|DEPLOYMENT_ERROR|' +
  'DEPLOYMENT_QUEUED|EXECUTING|QUEUED|READY|RECAP|RESTARTED|RESTARTING|RESTART_ERROR|RESTART_QUEUED|STOPPED|STOPPING|STOP_ERROR|' +
  'STOP_QUEUED|UNAVAILABLE|WAITING_DELETING|WAITING_RESTARTING|WAITING_RUNNING|WAITING_STOPPING';

/** Why something is not as it should be, which only platforms of this kind tell. */
export const conditionReasons =
  'NODE_DOWN|NODE_NOT_ANSWERING|NODE_DRAINED|NODE_PAUSED|NODES_UNREADABLE|CLUSTER_UNREACHABLE|CLUSTER_REACHABLE|' +
  'WAITING_FOR_NODE|NODE_LOST|NODE_GONE|NODE_UNREACHABLE|INSTANCES_MAY_RUN|INSTANCE_NOT_BEGUN|INSTANCES_CROWDED|' +
  'NO_MATCHING_NODE|NO_NODE|INSUFFICIENT_RESOURCES|NODES_CLOSED|CPU_MISMATCH|STORAGE_AMBIGUOUS|STORAGE_NOT_FOUND|' +
  'PARTS_MISSING|IMAGE_ON_ONE_NODE|OUT_OF_MEMORY|EXITED|TERRAFORM_STOPPED|START_FAILED|PULL_FAILED|' +
  'ENGINE_JUST_STARTED|ENDED_WITH_ENGINE|LOST_WITH_NODE|UNHEALTHY|ENDED_BY_ENGINE|NOT_JOINED_TO_NETWORK|ENDED|' +
  'PROBE_FAILED|PROBE_AT_WRONG_PORT|HEALTH_CHECK_FAILED|HEALTH_UNKNOWN|INSTANCES_MISSING|UNAVAILABLE|AVAILABLE|' +
  'CRASHED|INSTANCE_FAILED|INSTANCE_LOST|CHANGED_EXTERNALLY|REMOVED_EXTERNALLY|CHANGES_UNDONE|DATA_ON_NODE|CANCELED|' +
  'NOT_BEGUN|STEP_OVERDUE|RUNTIME_FAILED|INSTANCES_FAILED|INSTANCES_NOT_STARTED|NOT_READY_IN_TIME|' +
  'REPLACED_EXTERNALLY|NOT_ROLLED_BACK|RUN_ATTEMPT_FAILED|RUN_FAILED|RUN_LOST|RUN_UNHEALTHY|TIME_LIMIT_EXCEEDED|' +
  'RUN_TAKEN_AWAY|SCHEDULE_NOT_BEGUN|PROGRAM_NOT_STARTED|IMAGE_NOT_FOUND|PULL_DENIED|IMAGE_NOT_PULLED|' +
  'BASE_IMAGE_NOT_FOUND|BASE_IMAGE_DENIED|BASE_IMAGE_UNREACHABLE|BASE_IMAGE_UNUSABLE|FOLDER_NOT_FOUND|' +
  'DOCKERFILE_NOT_FOUND|DOCKERFILE_UNREADABLE|BUILD_NOT_BEGUN|BUILD_STEP_FAILED|BUILD_OVERDUE|SOURCE_TOO_LARGE|' +
  'PUSH_FAILED|COMMIT_NOT_IN_HISTORY|COMMIT_NOT_AMONG_NEWEST|COMMIT_AMBIGUOUS|COMMIT_NOT_FOUND|BRANCH_NOT_FOUND|' +
  'HISTORY_TOO_LARGE|COMMIT_TOO_LARGE|COMMITS_TOO_LARGE|GIT_UNREACHABLE|GIT_HOST_NOT_ALLOWED|GIT_HOST_CHANGED|' +
  'GIT_HOST_UNKNOWN|GIT_KEY_UNUSABLE|GIT_CREDENTIALS_MISSING|GIT_ACCESS_DENIED|REPOSITORY_NOT_FOUND|GIT_REDIRECTED|' +
  'GIT_SERVER_FAILED|GIT_CERTIFICATE_INVALID|REPOSITORY_DAMAGED|GIT_CONNECTION_BROKEN|FETCH_FAILED|OTHER|' +
  'PHASE_FAILED|SCRIPT_NODE_LOST|SCRIPT_WITHOUT_ROOM|SCRIPT_OVERDUE|SCRIPT_FAILED|SCRIPT_ENDED|BACKUP_IMPOSSIBLE|' +
  'BACKUP_FAILED|BACKUP_KEPT|BACKUP_OUT_OF_REACH|BACKUP_NOT_DELETED|NOT_RESTORED|EMPTY_SERVER_REMOVED|' +
  'EMPTY_SERVER_FAILED|DATA_VERSION_MISMATCH|RUNS_MISSED|RUN_SKIPPED|EARLIER_RUN_MAY_GO_ON|VARIABLES_CHANGED|' +
  'PLAN_UNREADABLE|LOG_UNREADABLE|LOG_INCOMPLETE|LOG_ON_LOST_NODE|LOG_END_UNREADABLE|LINES_LEFT_OUT|' +
  'ADDRESS_WITHOUT_INSTANCE|ADDRESS_WITHOUT_ROUTE|ADDRESS_SLOW|ADDRESS_UNTRIED|CERTIFICATE_MISSING|' +
  'DOMAIN_NOT_SERVED|PROXY_IMPAIRED|REGISTRY_AWAITED|REGISTRY_NOT_READY|RULE_NOT_EVALUATED|PROMETHEUS_MISSING|' +
  'CLUSTER_NOT_MEASURED|MAY_GO_ON|METRIC_WITHOUT_VALUE|RULE_PARTLY_EVALUATED|RULE_EVALUATION_FAILED|RECEIVERS_MISSING|' +
  'RECEIVER_WITHOUT_ADDRESS|RECEIVER_BY_MAIL|RECEIVER_NOT_REACHED|REGISTRY_NOT_SET_UP|REGISTRY_NODE_GONE|REGISTRY_NODE_AWAY|' +
  'REGISTRY_NOT_RUNNING|BUILDER_NODE_AWAY|REGISTRY_NOT_FORWARDED|REGISTRY_BEING_CLEANED|REGISTRY_SILENT';

/** Members of a condition. @param mark before each member that the document does not have */
export const conditionAt = (at: string, mark = '') => `
  ${mark}${at}.reason     ${conditionReasons} ${mark}required
  ${mark}${at}.message    string ${mark}required
  ${mark}${at}.since      date-time
  ${mark}${at}.node       string
  ${mark}${at}.details    object`;

const clusterStates =
  'BUILDING|BUILD_ERROR|CANCELED|CANCELING|DELETED|DELETE_ERROR|DELETE_QUEUED|DELETING|DEPLOYED|DEPLOYING|DEPLOYMENT_ERROR|' +
  'DEPLOYMENT_QUEUED|DRY_RUN|QUEUED|READY|STOPPED|STOPPING|STOP_ERROR|STOP_QUEUED|RESTART_QUEUED|RESTARTING|RESTARTED|' +
  'RESTART_ERROR|INVALID_CREDENTIALS';

const freshness = 'NEVER_DEPLOYED|OUT_OF_DATE|UP_TO_DATE';
const origins = 'API|CLI|CONSOLE|GIT|SERVICE_INTERNAL|TERRAFORM_PROVIDER';
const serviceTypes = 'APPLICATION|DATABASE|CONTAINER|JOB|HELM|TERRAFORM|GITOPS_APP';
const scopes = 'APPLICATION|BUILT_IN|ENVIRONMENT|PROJECT|CONTAINER|JOB|HELM|TERRAFORM';
const variableTypes = 'VALUE|ALIAS|OVERRIDE|BUILT_IN|FILE|EXTERNAL_SECRET';
const variableServiceTypes = 'APPLICATION|CONTAINER|DATABASE|JOB|HELM|TERRAFORM';
const actions = 'seen:DEPLOY|+RESTART|+STOP|+DELETE|+UNKNOWN';
const actionStatuses = 'seen:QUEUED|+ONGOING|+SUCCESS|+ERROR|+CANCELED|+NEVER';
const subActions = 'seen:NONE|+TERRAFORM_PLAN_AND_APPLY';
const protocols = 'seen:HTTP|+GRPC|+TCP|+UDP';
const helmProtocols = 'seen:HTTP|+GRPC';

const statusDetails = (at: string) => `
  ${at}.action      ${actions}
  ${at}.status      ${actionStatuses}
  ${at}.sub_action  ${subActions}`;

const stepNames =
  '+GIT_CLONE|+BUILD|+DEPLOYMENT_QUEUEING|+DEPLOYMENT|+ROUTER_DEPLOYMENT|+EXECUTING|+REGISTRY_CREATE_REPOSITORY|+MIRROR_IMAGE|+RESTART|+STOP';

/** Steps and how they end. */
const steps = `
  steps                                object
  steps.total_duration_sec             integer +required
  steps.total_computing_duration_sec   integer +required
  steps.details[].step_name            ${stepNames}
  steps.details[].status               seen:SUCCESS|+ERROR|+CANCELED
  steps.details[].duration_sec         integer`;

const serviceStatus = `
  id                           uuid
  service_deployment_status    ${freshness}
  is_part_last_deployment      boolean
  status_details               object +required
  ${statusDetails('status_details')}
  deployment_request_id        uuid
  deployment_requests_count    integer
  last_deployment_date         date-time
  ${steps}
  execution_id                 string`;

/** What runs after a deployment, of which the document says nothing. */
const running = `
  +running                     object
  +running.instances           integer
  +running.wanted_instances    integer
  +running.restarts            integer +required
  +running.warnings[]          string
  ${conditionAt('running.conditions[]', '+')}
  +running.usage                       object
  +running.usage.measured_at           date-time
  +running.usage.seconds               integer
  +running.usage.instances             integer
  +running.usage.cpu                   integer
  +running.usage.cpu_worst             integer
  +running.usage.cpu_limit             integer
  +running.usage.memory                integer
  +running.usage.memory_worst          integer
  +running.usage.memory_limit          integer
  +running.usage.received_per_second   integer
  +running.usage.sent_per_second       integer
  +running.usage.requests_per_second   number
  +running.usage.error_percent         number
  +running.usage.p95_milliseconds      integer
  +running.usage.missing[]             string`;

const probe = (at: string) => `
  ${at}                          object
  ${at}.type                     object +required
  ${at}.type.tcp.port            integer +required
  ${at}.type.tcp.host            string nullable
  ${at}.type.http.path           string
  ${at}.type.http.scheme         string
  ${at}.type.http.port           integer +required
  ${at}.type.exec.command[]      string
  ${at}.type.grpc.service        string nullable
  ${at}.type.grpc.port           integer +required
  ${at}.initial_delay_seconds    integer +default=30
  ${at}.period_seconds           integer +default=10
  ${at}.timeout_seconds          integer +default=5
  ${at}.success_threshold        integer +default=1
  ${at}.failure_threshold        integer +default=9`;

const probes = `${probe('healthchecks.readiness_probe')}${probe('healthchecks.liveness_probe')}`;

const ports = `
  ports[].id                    uuid
  ports[].name                  string
  ports[].internal_port         integer +required
  ports[].external_port         integer
  ports[].publicly_accessible   boolean
  ports[].is_default            boolean
  ports[].protocol              ${protocols}
  ports[].public_path           string
  ports[].public_path_rewrite   string`;

const storage = `
  storage[].id            uuid
  storage[].type          seen:FAST_SSD +required
  storage[].size          integer +required
  storage[].mount_point   string +required`;

const autoscalingRequest = (mark: string) => `
  ${mark}autoscaling.mode                       seen:KEDA
  ${mark}autoscaling.polling_interval_seconds   integer
  ${mark}autoscaling.cooldown_period_seconds    integer
  ${mark}autoscaling.scalers[].scaler_type      string +required
  ${mark}autoscaling.scalers[].enabled          boolean
  ${mark}autoscaling.scalers[].role             seen:PRIMARY|+SAFETY
  ${mark}autoscaling.scalers[].config_json      object
  ${mark}autoscaling.scalers[].config_yaml      string
  ${mark}autoscaling.scalers[].trigger_authentication.name          string +required
  ${mark}autoscaling.scalers[].trigger_authentication.config_yaml   string`;

const autoscaling = (mark: string) => `
  ${autoscalingRequest(mark)}
  ${mark}autoscaling.id                      uuid
  ${mark}autoscaling.created_at              date-time
  ${mark}autoscaling.updated_at              date-time
  ${mark}autoscaling.service_id              uuid
  ${mark}autoscaling.scalers[].id            uuid
  ${mark}autoscaling.scalers[].created_at    date-time
  ${mark}autoscaling.scalers[].updated_at    date-time
  ${mark}autoscaling.scalers[].trigger_authentication.id                uuid
  ${mark}autoscaling.scalers[].trigger_authentication.created_at        date-time
  ${mark}autoscaling.scalers[].trigger_authentication.updated_at        date-time
  ${mark}autoscaling.scalers[].trigger_authentication.organization_id   uuid`;

const groups = (mark: string) => `
  ${mark}annotations_groups[].id                    uuid
  ${mark}annotations_groups[].created_at            date-time
  ${mark}annotations_groups[].updated_at            date-time
  ${mark}annotations_groups[].name                  string
  ${mark}annotations_groups[].annotations[].key     string
  ${mark}annotations_groups[].annotations[].value   string
  ${mark}annotations_groups[].scopes[]              string
  ${mark}labels_groups[].id                         uuid
  ${mark}labels_groups[].created_at                 date-time
  ${mark}labels_groups[].updated_at                 date-time
  ${mark}labels_groups[].name                       string
  ${mark}labels_groups[].labels[].key               string
  ${mark}labels_groups[].labels[].value             string
  ${mark}labels_groups[].labels[].propagate_to_cloud_provider   boolean`;

/** What the page about silences adds to an application, everywhere it is spoken of. */
const added = (text: string) => text.replaceAll(/^(\s*)(?=[a-z])/gm, '$1+');

const runnable = `
  cpu                     integer
  memory                  integer
  min_running_instances   integer
  max_running_instances   integer`;

const gitRepositoryRequest = (at: string) => `
  ${at}.url            string +required
  ${at}.branch         string
  ${at}.root_path      string
  ${at}.provider       string
  ${at}.git_token_id   string nullable`;

const gitRepository = (at: string) => `
  ${at}.provider                      string
  ${at}.owner                         string
  ${at}.url                           string
  ${at}.name                          string
  ${at}.has_access                    boolean
  ${at}.branch                        string
  ${at}.root_path                     string
  ${at}.deployed_commit_id            string
  ${at}.deployed_commit_date          date-time
  ${at}.deployed_commit_contributor   string
  ${at}.deployed_commit_tag           string
  ${at}.git_token_id                  string nullable
  ${at}.git_token_name                string nullable`;

const valuesOverride = (repository: (at: string) => string) => `
  values_override.set[][]                  string
  values_override.set_string[][]           string
  values_override.set_json[][]             string
  values_override.file                     object +nullable
  values_override.file.git                 object +nullable
  values_override.file.raw                 object +nullable
  ${repository('values_override.file.git.git_repository')}
  values_override.file.git.paths[]         string
  values_override.file.raw.values[].name   string +required
  values_override.file.raw.values[].content string +required`;

const lock = (at: string) => `
  ${at}reason         string
  ${at}cluster_id     uuid
  ${at}locked_at      date-time
  ${at}owner_name     string
  ${at}ttl_in_days    integer`;

const linkedVariable = (at: string) => `
  ${at}.id              uuid
  ${at}.key             string
  ${at}.value           string
  ${at}.mount_path      string nullable
  ${at}.scope           ${scopes}
  ${at}.variable_type   ${variableTypes}`;

const variableOwner = `
  service_id     uuid
  service_name   string
  service_type   ${variableServiceTypes}`;

const variableDetails = `
  description                    string maxLength=255
  enable_interpolation_in_file   boolean`;

const alertRule = (receivers: string) => `
  name                     string    required
  description              string    required
  tag                      string    required
  condition                object    required
  condition.kind           seen:CUSTOM|+BUILT
  condition.promql         string +required
  condition.operator       seen:NONE|+ABOVE|+BELOW|+ABOVE_OR_EQUAL|+BELOW_OR_EQUAL|+EQUAL
  condition.threshold      number
  condition.function       seen:NONE|+AVG|+MAX|+MIN|+SUM|+COUNT
  for_duration             duration  required
  severity                 LOW|MEDIUM|HIGH|CRITICAL required
  enabled                  boolean   required
  alert_receiver_ids       array     required ${receivers}
  alert_receiver_ids[]     uuid
  presentation             object    required
  presentation.summary     string
  presentation.runbook_url string`;

/** The credentials of Helm repositories that answers show. */
export const helmRepositoryConfig = `
  config.username                string
  config.access_key_id           string
  config.region                  string
  config.vendor_access_key       string
  config.vendor_project_id       string
  config.azure_tenant_id         string
  config.azure_subscription_id   string
  config.role_arn                string`;

/** Each shape as its text. Parsed by shape.ts. */
export const shapes = {
  organization: `
    +id           uuid
    +name         string
    +created_at   date-time
    +updated_at   date-time
    +description  string
    +plan         string
    +owner        string
    +results[].id           uuid
    +results[].name         string
    +results[].created_at   date-time
    +results[].updated_at   date-time
    +results[].description  string
    +results[].plan         string
    +results[].owner        string`,
  'project create': `
    name          string required
    description   string`,
  project: `
    id            string
    name          string
    description   string
    created_at    date-time
    updated_at    date-time
    +organization.id                 uuid
    +associated_environments_count   integer`,
  'environment create': `
    name         string +required
    mode         seen:STAGING|PRODUCTION|+DEVELOPMENT +required
    cluster_id   string +required`,
  environment: `
    id           string
    name         string
    mode         seen:STAGING|PRODUCTION|+DEVELOPMENT
    cluster_id   string
    created_at   date-time
    +updated_at        date-time
    +cluster_name      string
    +organization.id   uuid
    +project.id        uuid
    +project.name      string
    +last_updated_by   string
    +stopped_by_timetable   boolean
    +starts_at         date-time
    +stops_at          date-time
    +refused_until     date-time
    +refused_by        string
    +refused_because   string
    +ends_at           date-time
    +end_reason        string
    +end_set_by        string`,
  'application create': `
    name                          string +required
    git_repository                object +required
    git_repository.url            string +required
    git_repository.branch         string
    +git_repository.root_path     string +default=/
    +git_repository.provider      string
    +git_repository.git_token_id  string nullable
    build_mode                    seen:DOCKER
    dockerfile_path               string
    ${runnable}
    ports[].internal_port         integer +required
    ports[].external_port         integer
    ports[].protocol              ${protocols}
    ports[].publicly_accessible   boolean
    +ports[].id                   uuid
    +ports[].name                 string
    +ports[].is_default           boolean
    +ports[].public_path          string
    +ports[].public_path_rewrite  string
    +description     string
    +gpu             integer
    +arguments[]     string
    +entrypoint      string
    +auto_preview    boolean
    +auto_deploy     boolean nullable
    +icon_uri        uri
    +annotations_groups[].id   uuid +required
    +labels_groups[].id        uuid +required
    ${added(probes)}${added(storage)}${autoscalingRequest('+')}`,
  application: `
    id                            string
    +name                         string
    +build_mode                   seen:DOCKER
    +dockerfile_path              string
    ${added(runnable)}${added(ports)}${added(storage)}${added(probes)}${autoscaling('+')}${groups('+')}
    ${added(gitRepository('git_repository'))}
    +description      string
    +created_at       date-time
    +updated_at       date-time
    +environment.id   uuid
    +service_type     ${serviceTypes}
    +maximum_cpu      integer
    +maximum_memory   integer
    +maximum_gpu      integer
    +gpu              integer
    +arguments[]      string
    +entrypoint       string
    +auto_preview     boolean
    +auto_deploy      boolean nullable
    +icon_uri         uri`,
  'database create': `
    name      string +required
    type      seen:POSTGRESQL|+MONGODB|+MYSQL|+REDIS +required
    version   string +required
    mode      seen:MANAGED|+CONTAINER +required
    cpu       integer
    memory    integer
    storage   integer +default=10
    +description     string
    +accessibility   +PRIVATE|+PUBLIC
    +instance_type   string`,
  database: `
    +id               uuid
    +created_at       date-time
    +updated_at       date-time
    +name             string
    +type             +POSTGRESQL|+MONGODB|+MYSQL|+REDIS
    +version          string
    +mode             +MANAGED|+CONTAINER
    +cpu              integer
    +memory           integer
    +storage          integer
    +description      string
    +accessibility    +PRIVATE|+PUBLIC
    +instance_type    string
    +host             string
    +port             integer
    +environment.id   uuid
    +service_type     ${serviceTypes}
    +icon_uri         uri
    +maximum_cpu      integer
    +maximum_memory   integer
    ${groups('+')}`,
  deploy: `
    git_commit_id   string`,
  deployment: `
    id               uuid
    status           QUEUED
    application_id   uuid
    created_at       date-time
    +state           ${states}
    +container_id    uuid
    +database_id     uuid
    +job_id          uuid
    +helm_id         uuid
    +terraform_id    uuid
    ${added(serviceStatus.replace(/^\s+id .*$/m, ''))}
    ${running}`,
  'application status': `
    state   ${states}|RUNNING
    ${serviceStatus}
    ${running}`,
  'variable create': `
    key     string +required
    value   string +required
    +mount_path   string nullable
    ${added(variableDetails)}`,
  'variable edit': `
    key          string +required
    value        string +required
    mount_path   string nullable
    ${variableDetails}`,
  'variable override': `
    value   string +required
    ${variableDetails}`,
  'secret create': `
    key     string +required
    value   string +required
    +mount_path   string nullable
    ${added(variableDetails)}`,
  variable: `
    id              uuid
    created_at      date-time
    updated_at      date-time
    key             string
    scope           ${scopes}
    variable_type   ${variableTypes}
    value           string
    mount_path      string nullable
    description     string
    enable_interpolation_in_file   boolean
    ${linkedVariable('overridden_variable')}${linkedVariable('aliased_variable')}${variableOwner}
    owned_by        string`,
  secret: `
    +id              uuid
    +created_at      date-time
    +updated_at      date-time
    +key             string
    +scope           ${scopes}
    +variable_type   ${variableTypes}
    +description     string
    ${added(variableOwner)}`,
  'container edit': `
    name           string required
    registry_id    string required
    image_name     string required
    tag            string required
    healthchecks   object required
    ${probes}${storage}${ports}
    description    string
    arguments[]    string
    entrypoint     string
    cpu            integer default=500
    memory         integer default=512
    gpu            integer default=0 minimum=0
    min_running_instances   integer default=1 minimum=0 +maximum=1000
    max_running_instances   integer default=1 +maximum=1000
    auto_preview   boolean
    auto_deploy    boolean nullable
    annotations_groups[].id   uuid +required
    labels_groups[].id        uuid +required
    icon_uri       uri
    ${autoscalingRequest('')}`,
  container: `
    id             uuid required
    created_at     date-time required
    updated_at     date-time
    registry.id    uuid
    registry.name  string
    registry.url   string
    registry.kind  string
    environment.id uuid
    maximum_cpu    integer required
    maximum_memory integer required
    maximum_gpu    integer required minimum=0
    service_type   ${serviceTypes} required
    name           string
    registry_id    string
    image_name     string
    tag            string
    healthchecks   object required
    ${probes}${storage}${ports}
    description    string
    arguments[]    string
    entrypoint     string
    cpu            integer required
    memory         integer required
    gpu            integer required minimum=0
    min_running_instances   integer required
    max_running_instances   integer required
    auto_preview   boolean required
    auto_deploy    boolean nullable
    icon_uri       uri required
    ${groups('')}${autoscaling('')}`,
  restart: `
    application_ids[]   uuid
    database_ids[]      uuid
    container_ids[]     uuid`,
  'service status': `
    state   ${states}
    ${serviceStatus}
    ${running}`,
  'restarted services': `
    state   ${states}
    ${serviceStatus}
    ${running}
    +results[].state   ${states}
    ${added(serviceStatus.replaceAll(/^(\s+)(?=[a-z])/gm, '$1results[].'))}
    ${running.replaceAll('+running', '+results[].running')}`,
  'environment status': `
    id                      uuid
    state                   ${states}
    last_deployment_state   ${states}
    last_deployment_date    date-time nullable
    last_deployment_id      string nullable
    total_deployment_duration_in_seconds   integer nullable
    origin                  ${origins} nullable
    triggered_by            string nullable
    deployment_status       ${freshness}
    deployment_request_id   uuid nullable
    metrics                 array nullable
    metrics[].stage_id      uuid
    metrics[].total_duration_sec         integer
    metrics[].details[].stage_id         uuid
    metrics[].details[].step_name        string
    metrics[].details[].status           string
    metrics[].details[].duration_sec     integer`,
  'helm edit': `
    name          string required
    auto_deploy   boolean required
    source        object required
    arguments     array required
    arguments[]   string
    values_override   object required
    ${valuesOverride(gitRepositoryRequest)}
    ports[].internal_port   integer +required
    ports[].name            string
    ports[].external_port   integer
    ports[].namespace       string
    ports[].protocol        ${helmProtocols}
    ports[].is_default      boolean
    ports[].service_selectors[].key     string +required
    ports[].service_selectors[].value   string +required
    +ports[].service_name   string
    description   string
    timeout_sec   integer default=600 minimum=0
    auto_preview  boolean nullable
    allow_cluster_wide_resources   boolean default=false
    icon_uri      uri
    ${added(gitRepositoryRequest('source.git_repository'))}
    +source.helm_repository.repository      uuid nullable +required
    +source.helm_repository.chart_name      string +required
    +source.helm_repository.chart_version   string +required
    ${added(gitRepositoryRequest('source.git.git_repository'))}
    +source.repository.chart_name      string +required
    +source.repository.chart_version   string +required
    +source.repository.repository.id   uuid nullable +required`,
  helm: `
    id            uuid
    created_at    date-time
    updated_at    date-time
    environment.id   uuid
    name          string
    auto_preview  boolean
    auto_deploy   boolean
    ${gitRepository('source.git.git_repository')}
    +source.repository.chart_name      string
    +source.repository.chart_version   string
    +source.repository.repository.id   uuid nullable
    arguments[]   string
    allow_cluster_wide_resources   boolean
    ${valuesOverride(gitRepository)}
    icon_uri      uri
    service_type  ${serviceTypes}
    description   string
    timeout_sec   integer minimum=0
    ports[].id             uuid
    ports[].port_type      string
    ports[].internal_port  integer
    ports[].protocol       ${helmProtocols}
    ports[].service_name   string
    ports[].name           string
    ports[].external_port  integer
    ports[].namespace      string
    ports[].is_default     boolean
    +ports[].service_selectors[].key     string
    +ports[].service_selectors[].value   string`,
  'cluster lock request': `
    reason        string +required
    ttl_in_days   integer +minimum=1 +maximum=5`,
  'cluster lock': lock(''),
  'cluster status': `
    cluster_id    uuid
    status        ${clusterStates}
    is_deployed   boolean
    next_k8s_available_version   string
    last_execution_id            string
    cluster_lock                 object +nullable
    ${lock('cluster_lock.')}
    last_deployment_date         date-time`,
  member: `
    id            uuid
    created_at    date-time
    updated_at    date-time
    email         string
    name          string
    nickname      string
    profile_picture_url   string
    last_activity_at      date-time
    role          seen:ADMIN|DEVELOPER|OWNER|VIEWER
    role_name     string
    role_id       uuid`,
  'invitation request': `
    email     email required
    role      ADMIN|DEVELOPER|OWNER|VIEWER
    role_id   uuid`,
  invitation: `
    id                  uuid required
    created_at          date-time required
    updated_at          date-time
    email               string required
    role                ADMIN|DEVELOPER|OWNER|VIEWER required
    invitation_link     string
    invitation_status   EXPIRED|PENDING required
    inviter             string required
    organization_name   string
    logo_url            uri
    role_id             uuid
    role_name           string`,
  'alert rule edit': alertRule('minItems=1'),
  'alert rule': `
    ${alertRule('')}
    id                uuid
    created_at        date-time
    updated_at        date-time
    source            MANAGED|GHOST
    state             UNDEPLOYED|OK|TRIGGERED|PENDING_NOTIFICATION|NOTIFIED|SUPPRESSED|UNROUTED
    organization_id   uuid
    cluster_id        uuid
    target.target_type   string
    target.target_id     uuid
    target.service.id                 uuid
    target.service.name               string
    target.service.description        string
    target.service.icon_uri           uri
    target.service.service_type       string
    target.service.project_id         uuid
    target.service.project_name       string
    target.service.environment_id     uuid
    target.service.environment_name   string
    target.service.cluster_id         uuid
    target.service.job_type           string
    is_up_to_date     boolean
    starts_at         date-time
    +silenced_until   date-time
    +silence_reason   string
    +problem          string
    ${conditionAt('conditions[]', '+')}`,
  'helm repository request': `
    name          string required
    kind          string required
    skip_tls_verification   boolean required
    config        object required
    ${helmRepositoryConfig}
    config.password            string
    config.secret_access_key   string
    config.vendor_secret_key   string
    description   string
    url           string`,
  'helm repository': `
    id            uuid
    created_at    date-time
    updated_at    date-time
    name          string
    kind          string
    description   string
    url           string
    skip_tls_verification       boolean
    ${helmRepositoryConfig}
    associated_services_count   integer`,
  'billing info request': `
    first_name     string required
    last_name      string required
    email          email required
    address        string required
    city           string required
    zip            string required
    country_code   string required
    state          string
    company        string
    vat_number     string`,
  'billing info': `
    first_name     string nullable
    last_name      string nullable
    email          string nullable
    address        string nullable
    city           string nullable
    zip            string nullable
    country_code   string nullable
    state          string nullable
    company        string nullable
    vat_number     string nullable`,
  'job history': `
    page        number
    page_size   number
    results[].identifier.name           string
    results[].identifier.service_id     uuid
    results[].identifier.service_type   string
    results[].identifier.execution_id   string
    +results[].identifier.environment_id   uuid
    results[].status                    ${states}
    results[].auditing_data.created_at     date-time
    results[].auditing_data.updated_at     date-time
    results[].auditing_data.triggered_by   string
    results[].auditing_data.origin         ${origins}
    results[].details.commit.created_at          date-time
    results[].details.commit.git_commit_id       string
    results[].details.commit.tag                 string
    results[].details.commit.message             string
    results[].details.commit.author_name         string
    results[].details.commit.author_avatar_url   uri
    results[].details.commit.commit_page_url     uri
    results[].details.build_pod_name             string
    +results[].details.image.image_name   string
    +results[].details.image.tag          string
    +results[].details.repository.chart_name      string
    +results[].details.repository.chart_version   string
    ${statusDetails('results[].status_details')}
    results[].icon_uri         uri
    results[].total_duration   string
    +results[].details.arguments[]    string
    +results[].details.schedule.cronjob.scheduled_at   string
    +results[].details.schedule.cronjob.timezone       string
    +results[].steps[].step_name      ${stepNames}
    +results[].steps[].status         +SUCCESS|+ERROR|+CANCELED
    +results[].steps[].duration_sec   integer
    +results[].services[].service_id     uuid
    +results[].services[].name           string
    +results[].services[].service_type   string
    +results[].services[].status         ${states}
    +results[].services[].details.commit.created_at   date-time
    +results[].services[].details.commit.git_commit_id   string
    +results[].services[].details.commit.tag   string
    +results[].services[].details.commit.message   string
    +results[].services[].details.commit.author_name   string
    +results[].services[].details.commit.author_avatar_url   uri
    +results[].services[].details.commit.commit_page_url   uri
    +results[].services[].details.image.image_name   string
    +results[].services[].details.image.tag   string
    +results[].services[].details.repository.chart_name   string
    +results[].services[].details.repository.chart_version   string`,
  'labels group': `
    id           uuid
    created_at   date-time
    updated_at   date-time
    name         string
    labels[].key     string
    labels[].value   string
    labels[].propagate_to_cloud_provider   boolean`,
  'webhook create': `
    target_url   uri +required
    events       array +required
    events[]     string
    enabled      boolean
    +kind            +STANDARD|+SLACK
    +description     string
    +target_secret   string
    +project_names_filter[]       string
    +environment_types_filter[]   +DEVELOPMENT|+STAGING|+PRODUCTION`,
  'webhook event': `
    id              uuid
    created_at      date-time
    kind            seen:STANDARD|+SLACK
    matched_event   seen:DEPLOYMENT_STARTED|+DEPLOYMENT_SUCCEEDED|+DEPLOYMENT_FAILED|+TEST
    target_url_used   string
    request           object
    +request.event_type   seen:DEPLOYMENT_STARTED|DEPLOYMENT_SUCCEEDED|DEPLOYMENT_FAILED|TEST
    +request.created_at   date-time
    +request.payload.application_id    uuid
    +request.payload.environment_id    uuid
    +request.payload.project_id        uuid
    +request.payload.organization_id   uuid
    +request.payload.deployment_id     uuid
    +request.payload.service_id        uuid
    +request.payload.service_name      string
    +request.payload.service_type      string
    +request.payload.status            string
    target_response_status_code   integer
    target_response_body          string
    +next_attempt_at              date-time`,
};
export type ShapeName = keyof typeof shapes;
