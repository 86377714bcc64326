import type * as z from 'zod';
import type { ClusterLock } from '../../contract/resources/cluster.ts';
import type { ServiceDeploymentStatus } from '../../contract/resources/deployment.ts';
import type { DeploymentHistoryItem } from '../../contract/resources/job.ts';
import type { ServiceKind } from '../../contract/resources/service.ts';
import type { EnvironmentVariable } from '../../contract/resources/variable.ts';
import type { LogLine } from '../logs/log-line.ts';
import type { Loose } from '../loose.ts';

/** One deployment, as histories list it. */
export type HistoryItem = Loose<z.infer<typeof DeploymentHistoryItem>>;

/** Status of a service, with its steps. */
export type ServiceStatus = Loose<z.infer<typeof ServiceDeploymentStatus>>;

/** A variable without its value: what a diagnosis reads must not be able to show one. */
export type VariableKey = Loose<Pick<z.infer<typeof EnvironmentVariable>, 'updated_at' | 'created_at' | 'scope' | 'variable_type'>> & { readonly key: string };

/** Another service of the same environment; databases have a host and a port. */
export interface Sibling {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  readonly state?: string | null;
  readonly host?: string | null;
  readonly port?: number | null;
  /** POSTGRESQL, REDIS and so on, where it is a database. */
  readonly type?: string | null;
  readonly last_deployment_date?: string | null;
}

/** The service that is asked about. */
export interface DiagnosedService {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  /** The service as the platform answers it: image, tag, ports, healthchecks, memory and so on. */
  readonly configuration?: Readonly<Record<string, unknown>> | null;
}

/** All that a diagnosis is made of: plain data, read from the platform by the caller. What is left out is not looked at. */
export interface Evidence {
  readonly service: DiagnosedService;
  readonly environment?: { readonly id: string; readonly name?: string | null; readonly mode?: string | null };
  readonly cluster?: { readonly id: string; readonly name?: string | null; readonly lock?: Loose<z.infer<typeof ClusterLock>> | null };
  /** Deployments of the service, newest first. */
  readonly history: readonly HistoryItem[];
  /** Which deployment is asked about, by its id; by default the newest that failed or is still going. */
  readonly deployment?: string;
  readonly status?: ServiceStatus | null;
  /** Log of that deployment, oldest first. Lines of other services and deployments may stand among them where they say so. */
  readonly lines: readonly LogLine[];
  readonly variables?: readonly VariableKey[];
  readonly siblings?: readonly Sibling[];
  /** Time of the reading, an ISO timestamp; for durations of what is still going. */
  readonly now?: string;
}
