/** How many statements each connection keeps prepared at most: lists of ids make statements of many lengths. */
const maximumPrepared = 250;

/** The names under which connections keep statements prepared, so that each is parsed and planned once. */
export interface PreparedNames {
  /** The name of a statement; undefined for one too many. */
  of(statement: string): string | undefined;
  /** Gives all statements new names: those prepared before are of no use any more. */
  renew(): void;
}

/** Creates the names of one process's statements. */
export function createPreparedNames(): PreparedNames {
  const names = new Map<string, string>();
  let generation = 0;
  return {
    of: (statement) => {
      if (!names.has(statement) && names.size < maximumPrepared) names.set(statement, `platform_${generation}_${names.size}`);
      return names.get(statement);
    },
    renew: () => {
      generation += 1;
      names.clear();
    },
  };
}
