/** Those that wait for the end of a task with their key. */
interface Waiting<Value, Result> {
  readonly values: Value[];
  result?: Promise<Result>;
  begin?: () => void;
}

/**
 * Joins tasks with the same key. While one is under way, those that arrive wait for its end and are then done together,
 * by a task that begins after all of them arrived, so that it sees whatever had been written before.
 * @param run does what is asked for with a key, by callers with these values
 * @returns asks for it: the result, and the caller's place among the values
 */
export function joined<Value, Result>(run: (key: string, values: readonly Value[]) => Promise<Result>) {
  const underWay = new Map<string, Waiting<Value, Result>>();

  const begin = async (key: string, values: readonly Value[]): Promise<Result> => {
    const next: Waiting<Value, Result> = { values: [] };
    underWay.set(key, next);
    try {
      return await run(key, values);
    } finally {
      if (next.begin) next.begin();
      else underWay.delete(key);
    }
  };

  return async (key: string, value: Value): Promise<readonly [result: Result, place: number]> => {
    const next = underWay.get(key);
    if (next === undefined) return [await begin(key, [value]), 0];
    const place = next.values.push(value) - 1;
    next.result ??= new Promise<void>((resolve) => {
      next.begin = resolve;
    }).then(() => begin(key, next.values));
    return [await next.result, place];
  };
}
