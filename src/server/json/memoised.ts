/** Derives something from a thing once: converting schemas, for one, is slow. */
export function memoised<Key extends object, Value>(derive: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? derive(key);
    known.set(key, value);
    return value;
  };
}
