import { type DataStore, readSetting, writeSetting } from '../../../store/index.ts';
import type { FaultRule } from './rule.ts';
import { type RuleDecision, type FaultState, initialState, restarted, withRuleUnlessPresent } from './rule-state.ts';

/** Stores the fault rules, with their draws and counts. */
export interface FaultKeeper {
  /** Starts keeping rules, or restarts on replaced records. @param seed of the random draws */
  start(seed: string): Promise<void>;
  /** Returns the current rules; undefined if there have never been any. */
  read(): Promise<FaultState | undefined>;
  /**
   * Applies a decision to the current rules, and stores the result. May decide more than once; the last time counts.
   */
  change<Result>(decide: (state: FaultState) => RuleDecision<Result>): Promise<Result>;
  close(): void;
}

/** Keeps rules in memory, for the one process that serves the records: each start uses the given ones. */
export function rulesInMemory(rules: readonly FaultRule[]): FaultKeeper {
  let state: FaultState | undefined;
  return {
    start: async (seed) => {
      state = state ? restarted(state, seed) : initialState(rules, seed);
    },
    read: async () => state,
    change: async (decide) => {
      const decision = decide(state ?? initialState(rules, ''));
      state = decision.state;
      return decision.result;
    },
    close: () => {},
  };
}

const setting = 'fault_rules';

/**
 * Keeps rules in the records, so that all processes on them share draws and counts. They stay when the processes stop.
 * Given rules that exist unchanged continue their counts.
 * @param isControlled whether this process may receive rules later. Only with such a process, or with rules, do
 * requests read the rules from the records
 */
export function rulesInRecords(db: DataStore, rules: readonly FaultRule[], isControlled: boolean): FaultKeeper {
  let mayHaveRules = true;
  let announcements = 0;
  let ownSeed = '';
  const stop = db.onSetting(setting, () => {
    announcements += 1;
    mayHaveRules = true;
  });

  const stored = async (from: Parameters<typeof readSetting>[0]): Promise<FaultState | undefined> => {
    const text = await readSetting(from, setting);
    return text === undefined ? undefined : (JSON.parse(text) as FaultState);
  };

  const change: FaultKeeper['change'] = async (decide) => {
    const result = await db.write(async (trx) => {
      await trx.lock(setting);
      const before = (await stored(trx)) ?? initialState([], ownSeed);
      const decision = decide(before);
      await writeSetting(trx, setting, JSON.stringify(decision.state));
      return decision.result;
    });
    if (!mayHaveRules) db.announceSetting(setting);
    mayHaveRules = true;
    return result;
  };

  return {
    start: async (seed) => {
      ownSeed = seed;
      if (rules.length === 0 && !isControlled) return;
      await change((state) => ({ state: rules.reduce(withRuleUnlessPresent, state), result: undefined }));
      db.announceSetting(setting);
    },
    read: async () => {
      if (!mayHaveRules) return undefined;
      const before = announcements;
      const state = await stored(db);
      if (state === undefined && before === announcements) mayHaveRules = false;
      return state;
    },
    change,
    close: stop,
  };
}
