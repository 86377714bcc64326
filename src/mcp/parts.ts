import type { Client } from '../client/client.ts';
import type { Addresses } from './addresses/address.ts';
import { createAddresses } from './addresses/addresses.ts';
import type { Clock, Log } from './context.ts';
import type { Approvals } from './guard/approvals/approvals.ts';
import { createConfirmer } from './guard/confirmation.ts';
import { passingGraveCalls, type GraveCalls } from './guard/grave-calls.ts';
import { passingKeys, type Keys } from './guard/keys.ts';
import { addressesWithin, createPlaces } from './guard/pinned-place.ts';
import type { Policy } from './guard/policy.ts';
import { logRecorder, type Recorder } from './guard/record.ts';
import { protectLog } from './redact/log.ts';
import { createRedactor } from './redact.ts';
import { createRegistry } from './registry.ts';
import { createWatches } from './resources/watches.ts';
import type { ServerParts } from './server.ts';
import { skillsOf } from './skills.ts';
import { forCallers, type Texts } from './texts.ts';
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
  /** What finds the things that names stand for. Default: nothing but ids. */
  readonly addresses?: Addresses;
  /** Prompts, skills and other texts; without them none are served. */
  readonly texts?: Texts;
  /** What the operator set up to hold calls to account; without it everything lives as long as the process. */
  readonly guard?: GuardParts;
}

/** The parts of the guard that outlive a process. */
export interface GuardParts {
  readonly keys: Keys;
  readonly recorder: Recorder;
  readonly approvals?: Approvals;
  readonly graveCalls: GraveCalls;
}

const passing = (): GuardParts => ({ keys: passingKeys(), recorder: logRecorder, graveCalls: passingGraveCalls() });

/** Puts together what all servers of one process share. */
export function createParts({ tools, policy, connect, secrets, version, log, clock, addresses = createAddresses(), texts, guard = passing() }: PartsConfig): ServerParts {
  const { keys, recorder, approvals, graveCalls } = guard;
  const redactor = createRedactor({ secrets, keys });
  const places = policy.pin && createPlaces(policy.pin, addresses);
  return {
    registry: createRegistry(tools, policy),
    confirmer: createConfirmer({ keys, approvals }),
    recorder,
    redactor,
    graveCalls,
    keys,
    environment: process.env,
    addresses: places ? addressesWithin(addresses, places) : addresses,
    places,
    watches: createWatches({ clock }),
    texts: texts && forCallers(texts, log),
    skills: texts && skillsOf(texts, log),
    policy,
    connect,
    version,
    log: protectLog(log, redactor),
    clock,
  };
}
