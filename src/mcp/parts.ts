import type { Client } from '../client/client.ts';
import type { Clock, Log } from './context.ts';
import { createConfirmer } from './guard/confirmation.ts';
import type { Policy } from './guard/policy.ts';
import { logRecorder } from './guard/record.ts';
import { protectLog } from './redact/log.ts';
import { createRedactor } from './redact.ts';
import { createRegistry } from './registry.ts';
import type { ServerParts } from './server.ts';
import type { Tool } from './tool.ts';

/** What a process has to bring to serve tools. */
export interface PartsConfig {
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  /** Gives the platform's client. Asked for with every call, so it should remember; a failure is that call's own. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** Values that must never show, such as the platform's token, as known at the moment. */
  readonly secrets: () => readonly string[];
  readonly version: string;
  readonly log: Log;
  readonly clock: Clock;
}

/** Puts together what all servers of one process share. */
export function createParts({ tools, policy, connect, secrets, version, log, clock }: PartsConfig): ServerParts {
  const redactor = createRedactor({ secrets });
  return {
    registry: createRegistry(tools, policy),
    confirmer: createConfirmer(),
    recorder: logRecorder,
    redactor,
    policy,
    connect,
    version,
    log: protectLog(log, redactor),
    clock,
  };
}
