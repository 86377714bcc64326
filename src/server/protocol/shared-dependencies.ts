import type { Client } from '../../client/index.ts';
import type { NameResolver, Tool } from '../tool/index.ts';
import { createNameResolver } from '../resolve/index.ts';
import { ephemeralKeys, type CallContext, type Clock, type KeyProvider, type ServerLogger } from '../context/index.ts';
import {
  createConfirmer,
  createStatelessMemories,
  ephemeralHighRiskCalls,
  handoverNowhere,
  type Handover,
  type Approvals,
  type HighRiskCalls,
  resolverWithin,
  createScopeResolver,
  valueVariables,
  type LeftOut,
  type Policy,
  type SharedAnswers,
  createRegistry,
} from '../guard/index.ts';
import { logRecorder, type Recorder } from '../audit/index.ts';
import { createRecentChanges, type CallObserver } from '../call/index.ts';
import { instructions } from './instructions.ts';
import { createRedaction, protectLog } from '../redaction/index.ts';
import type { RequestDependencies } from './requests.ts';
import {
  listedResources,
  createWatches,
  budgetKeyOf,
  type Watches,
  createSkills,
  withCallerErrors,
  type Texts,
} from '../browse/index.ts';
import type { ServerDependencies } from './server.ts';
import type { Surface } from './surface.ts';

/** The configuration with which a process serves tools. */
export interface SharedDependenciesConfig {
  readonly tools: readonly Tool[];
  /** Existing tools that are not offered: they are hidden in texts. Default: none. */
  readonly otherTools?: LeftOut;
  readonly policy: Policy;
  /** Returns the platform's client. Called for every call, so it should cache; if it fails, only that call fails. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  /**
   * Returns the current values to hide, such as the platform's token. Values that the policy allows to be set unseen
   * are added.
   */
  readonly secrets: () => readonly string[];
  /** Environment variables that other policies, such as those of API keys, allow to be set unseen. Default: none. */
  readonly valueVariableNames?: () => readonly string[];
  readonly version: string;
  readonly log: ServerLogger;
  readonly clock: Clock;
  /** Resolves names to resources. Default: a resolver that keeps nothing beyond the process. */
  readonly resolver?: NameResolver;
  /** Prompts, skills and other texts; without them none are served. */
  readonly texts?: Texts;
  /** The watches of the process. Default: new ones. */
  readonly watches?: Watches;
  /** The operator's keys, records and approvals. Default: ones that live as long as the process. */
  readonly guard?: GuardDependencies;
  /** Gets secrets that are shown once to a person. Default: a server that has no place for them. */
  readonly handover?: Handover;
  /** Counts and traces calls. Default: none. */
  readonly observer?: CallObserver;
  /**
   * How long a client of the 2025 revisions may take to return its user's answer, in milliseconds. Default: as long as
   * an answer is valid.
   */
  readonly answerTime?: number;
}

/** Dependencies of the guard that outlive a process. */
export interface GuardDependencies {
  /** The command with which the operator approves calls in a shell. Default: `infra-mcp approve`. */
  readonly approveCommand?: string;
  readonly keys: KeyProvider;
  readonly recorder: Recorder;
  readonly approvals?: Approvals;
  readonly highRiskCalls: HighRiskCalls;
  /** State with which several servers accept answers to each other's questions. Default: none. */
  readonly sharedAnswers?: SharedAnswers;
}

const noHandover = handoverNowhere({
  why: 'this server has no place for it',
  next: 'Tell the user: it has to be created with the platform itself.',
});

const ephemeralGuard = (): GuardDependencies => ({
  keys: ephemeralKeys(),
  recorder: logRecorder,
  highRiskCalls: ephemeralHighRiskCalls(),
});

/** Everything that the servers of one process share, already loaded. */
export interface SharedDependencies extends ServerDependencies, RequestDependencies {}

/** Applies a policy, which determines the registry and the lists. */
const applyPolicy = (
  shared: Omit<RequestDependencies, 'registry' | 'policy'>,
  tools: readonly Tool[],
  policy: Policy,
  otherTools: LeftOut,
) => {
  for (const name of valueVariables(policy.rules ?? [])) shared.valueVariableNames.add(name);
  const registry = createRegistry(tools, policy, otherTools);
  const { hidden, off } = registry;
  const surface: Surface = {
    instructions: instructions(policy, hidden, off),
    tools: () => registry.listed(),
    hidden,
    resources: listedResources(policy, shared.texts !== undefined),
  };
  return {
    ...shared,
    policy,
    registry,
    surface,
    skills: shared.texts && createSkills(shared.texts, { log: shared.log, hidden }),
  };
};

const withLoader = (loaded: Omit<SharedDependencies, 'loadDependencies'>): SharedDependencies => {
  const dependencies: SharedDependencies = { ...loaded, loadDependencies: async () => dependencies };
  return dependencies;
};

/**
 * The same dependencies under another policy. Everything with state stays shared.
 * @param tools those to offer, which may be some that the base excludes.
 * @param leftOut tools that are not offered, in addition to the others that the base excludes.
 */
export function dependenciesUnder(
  base: SharedDependencies,
  tools: readonly Tool[],
  policy: Policy,
  leftOut: LeftOut = new Map(),
): SharedDependencies {
  const offered = new Set(tools.map(({ name }) => name));
  const others = [...leftOut, ...base.registry.leftOut].filter(([name]) => !offered.has(name));
  return withLoader({ ...base, ...applyPolicy(base, tools, policy, new Map(others)) });
}

/** Creates the dependencies that all servers of one process share. */
export function createDependencies({
  tools,
  otherTools = new Map(),
  policy,
  connect,
  secrets,
  valueVariableNames = () => [],
  version,
  log,
  clock,
  resolver = createNameResolver(),
  texts,
  watches = createWatches({ clock }),
  guard = ephemeralGuard(),
  handover = noHandover,
  observer,
  answerTime,
}: SharedDependenciesConfig): SharedDependencies {
  const { approveCommand, keys, recorder, approvals, highRiskCalls, sharedAnswers } = guard;
  const environment = process.env;
  // Names are never removed: their values stay secret even if the policy no longer contains them.
  const ownValueVariables = new Set<string>();
  const redaction = createRedaction({
    configured: () => [
      ...secrets(),
      ...[...ownValueVariables, ...valueVariableNames()].flatMap((name) => environment[name] ?? []),
    ],
  });
  const scopeResolver = policy.scope && createScopeResolver(policy.scope, resolver);
  const shared = {
    approveCommand,
    approvals,
    confirmer: createConfirmer({ keys, approvals, shared: sharedAnswers }),
    recorder,
    observer,
    answerTime,
    statelessMemories: createStatelessMemories(clock, sharedAnswers === undefined),
    redaction,
    valueVariableNames: ownValueVariables,
    highRiskCalls,
    keys,
    handover,
    environment,
    resolver: policy.scope && scopeResolver ? resolverWithin(resolver, scopeResolver, policy.scope) : resolver,
    scopeResolver,
    watches,
    recentChanges: createRecentChanges(),
    changed: ({ credential }: CallContext) => watches.pollSoon(budgetKeyOf(credential)),
    texts: texts && withCallerErrors(texts, log),
    connect,
    log: protectLog(log, redaction),
    clock,
  };
  return withLoader({ ...applyPolicy(shared, tools, policy, otherTools), version, hasPrompts: texts !== undefined });
}
