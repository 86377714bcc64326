/** Caches a derived value per object, for slow derivations such as schema conversion. */
export function memoised<Key extends object, Value>(derive: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>();
  return (key) => {
    const value = cache.get(key) ?? derive(key);
    cache.set(key, value);
    return value;
  };
}
