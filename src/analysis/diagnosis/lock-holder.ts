import type { ServiceKind } from '../../contract/index.ts';
import { cleanLine } from '../logs/entries.ts';
import type { LogLine } from '../logs/log-line.ts';

/** The service that holds the lock of a Terraform state, as it is now. */
export interface LockHolder {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  /** Names from the project down. */
  readonly path: string;
  readonly environmentId: string;
  readonly state?: string | null;
  /** Who deployed it last, and when. */
  readonly by?: string;
  readonly at?: string;
}

const whoLine = /^\s*[│|]?\s*Who:\s+(?:[^@\s]+@)?([\w.-]{1,200})\s*$/m;

/** The host that a Terraform log names as the holder of the lock; undefined if it names none. */
export function lockingHost(lines: readonly LogLine[]): string | undefined {
  const hosts = lines.flatMap(
    ({ message }) => whoLine.exec((message ?? '').split('\n').map(cleanLine).join('\n'))?.[1] ?? [],
  );
  return hosts.at(-1);
}

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Whether a host is an instance of a service: it has the service's name, followed by at most two generated parts. */
export function isInstanceOf(host: string, serviceName: string): boolean {
  const name = slug(serviceName);
  return (
    host === name ||
    (host.startsWith(`${name}-`) && /^[a-z0-9]{3,12}(?:-[a-z0-9]{3,12})?$/.test(host.slice(name.length + 1)))
  );
}
