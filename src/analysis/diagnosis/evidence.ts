import type * as z from 'zod';
import { type ClusterLock, type ServiceKind, shortened } from '../../contract/index.ts';
import type { Sibling, VariableKey } from '../changes.ts';
import type { LenientServiceStatus } from '../deployment-progress.ts';
import type { HistoryItem } from '../history.ts';
import type { LogLine } from '../logs/log-line.ts';
import type { LockHolder } from './lock-holder.ts';
import type { Lenient } from '../lenient.ts';
import type { RecordedChange } from '../recorded-changes.ts';

const maximumQuoteLength = 160;

/** Quotes text from a log in a sentence: in quotation marks, truncated, on one line. */
export const quote = (text: string): string => JSON.stringify(shortened(text, maximumQuoteLength));

/** `value` with a prefix and, if it is text, quoted; empty if there is no value. */
export const prefixedValue = (before: string, value: string | number | undefined): string =>
  value === undefined || value === '' ? '' : `${before}${typeof value === 'number' ? value : quote(value)}`;

/** The name of a person or token, for the server's own texts; `somebody` if it could be read as a sentence. */
export const whoText = (by: string | undefined): string =>
  by !== undefined && /^(?:[\w.@+-]{1,60}|\p{Lu}[\p{L}.'-]{0,30} \p{Lu}[\p{L}.'-]{0,30})$/u.test(by) ? by : 'somebody';

/** The service to diagnose. */
export interface DiagnosedService {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  /** The service as the platform returns it: image, tag, ports, healthchecks, memory and so on. */
  readonly configuration?: Readonly<Record<string, unknown>> | null;
}

/** The input of a diagnosis: plain data that the caller read from the platform. Absent parts are ignored. */
export interface Evidence {
  readonly service: DiagnosedService;
  readonly environment?: { readonly id: string; readonly name?: string | null; readonly mode?: string | null };
  readonly cluster?: {
    readonly id: string;
    readonly name?: string | null;
    readonly lock?: Lenient<z.infer<typeof ClusterLock>> | null;
  };
  /** Deployments of the service, newest first. */
  readonly history: readonly HistoryItem[];
  /** Id of the deployment to diagnose. Default: the newest, unless it succeeded; then the newest that failed. */
  readonly deployment?: string;
  readonly status?: LenientServiceStatus | null;
  /**
   * Log of that deployment, oldest first. May contain lines of other services and deployments if they are marked as
   * such.
   */
  readonly lines: readonly LogLine[];
  /** Why there may be more lines than these; absent if these are all. */
  readonly missingLines?: string;
  readonly variables?: readonly VariableKey[];
  readonly siblings?: readonly Sibling[];
  /** Recorded changes to the service and its variables since its last good deployment. */
  readonly recorded?: readonly RecordedChange[];
  /** The service that holds the lock of its Terraform state, if the log names it and it was found. */
  readonly lockHolder?: LockHolder;
}
