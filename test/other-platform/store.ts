import { Failure, type Members } from './schema.ts';

export const KINDS = ['application', 'container', 'database', 'job', 'helm', 'terraform'] as const;
export type Kind = (typeof KINDS)[number];
/** The kinds that nothing but lists and statuses know. */
export type OtherKind = 'synced' | 'agentic';

export interface Row extends Members {
  id: string;
}

export interface Environment extends Row {
  project_id: string;
  cluster_id: string;
  name: string;
  mode: string;
}

/** A service: what was asked for it last (`spec`), from which its answers are composed. */
export interface Service {
  id: string;
  kind: Kind | OtherKind;
  environment_id: string;
  created_at: string;
  updated_at: string;
  spec: Members;
  /** Set where it never comes up, whatever is deployed. */
  fails?: 'build' | 'start';
  commit?: string;
}

export interface Variable {
  id: string;
  created_at: string;
  updated_at: string;
  key: string;
  value: string;
  is_secret: boolean;
  scope: string;
  parent_id: string;
  variable_type: string;
  mount_path: string | null;
  description?: string;
  enable_interpolation_in_file?: boolean;
  owned_by?: string;
  overrides?: string;
  aliases?: string;
}

/** How far a deployment is. */
export type Phase = 'queued' | 'running' | 'canceling' | 'canceled' | 'succeeded' | 'failed';

export interface Deployment {
  request_id: string;
  execution_id: string;
  environment_id: string;
  action: 'DEPLOY' | 'RESTART' | 'STOP' | 'DELETE' | 'UNINSTALL';
  sub_action: string;
  origin: string;
  triggered_by: string;
  created_at: number;
  start_at: number;
  end_at: number;
  canceled: boolean;
  ended: boolean;
  /** Whether the environment itself goes with its services. */
  takesEnvironment?: boolean;
  services: { service: Service; name: string; details: Members }[];
}

type ListName =
  | 'organizations'
  | 'projects'
  | 'clusters'
  | 'webhooks'
  | 'webhookEvents'
  | 'alertRules'
  | 'receivers'
  | 'members'
  | 'invitations'
  | 'roles'
  | 'registries'
  | 'helmRepositories'
  | 'labelsGroups'
  | 'annotationsGroups'
  | 'gitTokens'
  | 'domains'
  | 'restrictions'
  | 'stages'
  | 'rules'
  | 'backups'
  | 'auditEvents';

export type Store = Record<ListName, Row[]> & {
  environments: Environment[];
  services: Service[];
  variables: Variable[];
  deployments: Deployment[];
  /** Billing of each organization, advanced settings of each service, by id. */
  billing: Map<string, Members>;
  settings: Map<string, Members>;
};

export function emptyStore(): Store {
  return {
    organizations: [],
    projects: [],
    clusters: [],
    webhooks: [],
    webhookEvents: [],
    alertRules: [],
    receivers: [],
    members: [],
    invitations: [],
    roles: [],
    registries: [],
    helmRepositories: [],
    labelsGroups: [],
    annotationsGroups: [],
    gitTokens: [],
    domains: [],
    restrictions: [],
    stages: [],
    rules: [],
    backups: [],
    auditEvents: [],
    environments: [],
    services: [],
    variables: [],
    deployments: [],
    billing: new Map(),
    settings: new Map(),
  };
}

/** The row with this id, or the failure that tells that there is none. */
export function find<T extends { id: string }>(rows: readonly T[], wanted: unknown, what: string): T {
  const row = rows.find(({ id }) => id === wanted);
  if (row === undefined) throw new Failure(404, `There is no ${what} with the id ${String(wanted)}`);
  return row;
}

export function remove(rows: { id: string }[], wanted: unknown, what: string): void {
  rows.splice(rows.indexOf(find(rows, wanted, what)), 1);
}

/** Makes ids that are the same in every run. */
export function idMaker(): () => string {
  let made = 0;
  return () => {
    made += 1;
    return `${(0xa0000000 + made).toString(16)}-0000-4000-8000-${made.toString(16).padStart(12, '0')}`;
  };
}
