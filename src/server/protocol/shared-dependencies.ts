import type { Client } from '../../client/client.ts';
import type { NameResolver } from '../tool/name-resolver.ts';
import { createNameResolver } from '../resolve/name-resolver.ts';
import type { CallContext, Clock, ServerLogger } from '../context/call-context.ts';
import type { Approvals } from '../guard/approvals/approvals.ts';
import { createConfirmer } from '../guard/confirmation/confirmation.ts';
import { ephemeralHighRiskCalls, type HighRiskCalls } from '../guard/storage/high-risk-calls.ts';
import { ephemeralKeys, type KeyProvider } from '../context/keys.ts';
import { resolverWithin, createScopeResolver } from '../guard/scope/scope-resolver.ts';
import { unseenVariables, type Policy } from '../guard/policy/policy.ts';
import { logRecorder, type Recorder } from '../audit/call-records.ts';
import { instructions } from './instructions.ts';
import { createRedaction, protectLog } from '../redaction/index.ts';
import { createRegistry } from '../guard/tool-registry.ts';
import type { RequestDependencies } from './requests.ts';
import { listedResources } from '../browse/resources/catalog.ts';
import { createWatches, budgetKeyOf, type Watches } from '../browse/resources/watches.ts';
import type { ServerDependencies } from './server.ts';
import { createSkills } from '../browse/skills.ts';
import type { Surface } from './surface.ts';
import { withCallerErrors, type Texts } from '../browse/texts.ts';
import type { Tool } from '../tool/tool.ts';

/** What a process has to bring to serve tools. */
export interface SharedDependenciesConfig {
  readonly tools: readonly Tool[];
  /** Names of tools that there are beside these: no text names them. Default: none. */
  readonly otherTools?: readonly string[];
  readonly policy: Policy;
  /** Gives the platform's client. Asked for with every call, so it should remember; a failure is that call's own. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /** Values that must never show, such as the platform's token, as known at the moment. What the policy lets be set unseen is known anyway. */
  readonly secrets: () => readonly string[];
  /** Variables of this process's environment that other policies let be set unseen, such as those of keys. Default: none. */
  readonly unseen?: () => readonly string[];
  readonly version: string;
  readonly log: ServerLogger;
  readonly clock: Clock;
  /** What finds the things that names stand for. Default: nothing but ids. */
  readonly resolver?: NameResolver;
  /** Prompts, skills and other texts; without them none are served. */
  readonly texts?: Texts;
  /** What looks for changes. */
  readonly watches?: Watches;
  /** What the operator set up to hold calls to account; without it everything lives as long as the process. */
  readonly guard?: GuardDependencies;
}

/** The parts of the guard that outlive a process. */
export interface GuardDependencies {
  readonly keys: KeyProvider;
  readonly recorder: Recorder;
  readonly approvals?: Approvals;
  readonly graveCalls: HighRiskCalls;
}

const ephemeralGuard = (): GuardDependencies => ({ keys: ephemeralKeys(), recorder: logRecorder, graveCalls: ephemeralHighRiskCalls() });

/** What all servers of one process share, all of it loaded. */
export interface SharedDependencies extends ServerDependencies, RequestDependencies {}

/** The same work, held to a policy. Lists depend on it alone. */
const applyPolicy = (work: Omit<RequestDependencies, 'registry' | 'policy'>, tools: readonly Tool[], policy: Policy, others: readonly string[]) => {
  for (const name of unseenVariables(policy.rules ?? [])) work.unseen.add(name);
  const registry = createRegistry(tools, policy, others);
  const { hidden } = registry;
  const surface: Surface = { instructions: instructions(policy, hidden), tools: () => registry.listed(), hidden, resources: listedResources(policy, work.texts !== undefined) };
  return { ...work, policy, registry, surface, skills: work.texts && createSkills(work.texts, { log: work.log, hidden }) };
};

const withOwnWork = (ready: Omit<SharedDependencies, 'work'>): SharedDependencies => {
  const parts: SharedDependencies = { ...ready, work: async () => parts };
  return parts;
};

/** The same parts under another policy. Whatever counts or remembers stays shared. */
export const dependenciesUnder = (base: SharedDependencies, tools: readonly Tool[], policy: Policy): SharedDependencies => withOwnWork({ ...base, ...applyPolicy(base, tools, policy, base.registry.hidden) });

/** Puts together what all servers of one process share. */
export function createDependencies({ tools, otherTools = [], policy, connect, secrets, unseen = () => [], version, log, clock, resolver: addresses = createNameResolver(), texts, watches = createWatches({ clock }), guard = ephemeralGuard() }: SharedDependenciesConfig): SharedDependencies {
  const { keys, recorder, approvals, graveCalls } = guard;
  const environment = process.env;
  // Names stay here once a policy had them: what was set by them is still there when the policy no longer has.
  const names = new Set<string>();
  const redaction = createRedaction({ configured: () => [...secrets(), ...[...names, ...unseen()].flatMap((name) => environment[name] ?? [])] });
  const places = policy.scope && createScopeResolver(policy.scope, addresses);
  const work = {
    confirmer: createConfirmer({ keys, approvals }),
    recorder,
    redaction,
    unseen: names,
    highRiskCalls: graveCalls,
    keys,
    environment,
    resolver: policy.scope && places ? resolverWithin(addresses, places, policy.scope) : addresses,
    scopeResolver: places,
    watches,
    changed: ({ credential }: CallContext) => watches.pollSoon(budgetKeyOf(credential)),
    texts: texts && withCallerErrors(texts, log),
    connect,
    log: protectLog(log, redaction),
    clock,
  };
  return withOwnWork({ ...applyPolicy(work, tools, policy, otherTools), version, hasPrompts: texts !== undefined });
}
