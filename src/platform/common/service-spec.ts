import type * as z from 'zod';
import type {
  ServiceKind,
  ApplicationRequest,
  ContainerRequest,
  DatabaseRequest,
  DatabaseUpdateRequest,
  Helm,
  Job,
  JobRequest,
  workloadFields,
  serviceIdentity,
  Terraform,
} from '../../contract/index.ts';

type Ports = z.output<(typeof workloadFields)['ports']>;
type Volumes = z.output<(typeof workloadFields)['storage']>;

/** Autoscaling as stored: the credentials of its scalers are sealed. */
export interface StoredAutoscaling {
  id: string;
  created_at: string;
  updated_at: string;
  mode: 'KEDA';
  polling_interval_seconds: number;
  cooldown_period_seconds: number;
  scalers: {
    id: string;
    created_at: string;
    updated_at: string;
    scaler_type: string;
    enabled: boolean;
    role: 'PRIMARY' | 'SAFETY';
    config_json?: Record<string, unknown> | undefined;
    config_yaml?: string | undefined;
    trigger_authentication?:
      | { id: string; created_at: string; updated_at: string; name: string; sealed_config_yaml: string }
      | undefined;
  }[];
}

/** A request's configuration as stored: the name has its own column, ports and volumes have ids. */
type Stored<Request> = Omit<Request, 'name' | 'ports' | 'storage' | 'autoscaling'> & {
  ports: Ports;
  storage: Volumes;
  autoscaling?: StoredAutoscaling | undefined;
};

/** Members that responses add to the configuration. */
type Derived = keyof typeof serviceIdentity;

/** The `spec` column, by kind of service. */
export interface ServiceSpecs {
  application: Stored<z.output<typeof ApplicationRequest>>;
  container: Stored<z.output<typeof ContainerRequest>>;
  database: Omit<z.output<typeof DatabaseRequest>, 'name'> &
    Pick<z.output<typeof DatabaseUpdateRequest>, 'annotations_groups' | 'labels_groups' | 'icon_uri'>;
  helm: Omit<z.output<typeof Helm>, Exclude<Derived, 'description' | 'icon_uri'>>;
  job: Omit<
    z.output<typeof Job>,
    Exclude<Derived, 'description' | 'icon_uri'> | 'annotations_groups' | 'labels_groups'
  > &
    Pick<z.output<typeof JobRequest>, 'annotations_groups' | 'labels_groups'> & {
      /** For one run: its arguments in place of those of the job. Its schedule has them as well. */
      run_arguments?: string[];
    };
  terraform: Omit<z.output<typeof Terraform>, Exclude<Derived, 'description' | 'icon_uri'>>;
}

/** The default icon of a service or environment. */
export const defaultIcon = (kind: ServiceKind | 'environment'): string => `app://infra-mcp/${kind}`;

/** The provider of a repository for which none is given. */
export const defaultProvider = 'GIT';

/** The `deployed_commit` column. */
export interface DeployedCommit {
  git_commit_id: string;
  /** ISO 8601. */
  created_at: string;
  author_name: string;
  tag: string;
  message: string;
}
