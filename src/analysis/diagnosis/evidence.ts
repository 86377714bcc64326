import type * as z from 'zod';
import type { ClusterLock } from '../../contract/resources/cluster.ts';
import type { ServiceKind } from '../../contract/resources/service.ts';
import type { Sibling, VariableKey } from '../changes.ts';
import type { LenientServiceStatus } from '../deployment-progress.ts';
import type { HistoryItem } from '../history.ts';
import type { LogLine } from '../logs/log-line.ts';
import type { Lenient } from '../lenient.ts';

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
  readonly cluster?: { readonly id: string; readonly name?: string | null; readonly lock?: Lenient<z.infer<typeof ClusterLock>> | null };
  /** Deployments of the service, newest first. */
  readonly history: readonly HistoryItem[];
  /** Which deployment is asked about, by its id; by default the newest unless it ended well, then the newest that failed. */
  readonly deployment?: string;
  readonly status?: LenientServiceStatus | null;
  /** Log of that deployment, oldest first. Lines of other services and deployments may stand among them where they say so. */
  readonly lines: readonly LogLine[];
  readonly variables?: readonly VariableKey[];
  readonly siblings?: readonly Sibling[];
}
