type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as JSON whose members are in alphabetical order. */
export const orderedJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

const without = (value: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** Members of configurations that no deployment reads. The name has a column of its own. */
const unread = ['name', 'description', 'icon_uri', 'auto_deploy', 'auto_preview'];

/** Members that change each time the same content is stored. */
const renewed = ['id', 'created_at', 'updated_at'];

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * How to reduce the parts of a configuration that are stored with more than their content, by the names of their
 * members.
 */
type Reading = Readonly<Record<string, (value: Members) => Members>>;

const readingsWith = (openSecret: (sealed: string) => string): Reading => ({
  ports: (port) => without(port, ['id']),
  autoscaling: (autoscaling) => without(autoscaling, renewed),
  scalers: (scaler) => without(scaler, renewed),
  trigger_authentication: ({ sealed_config_yaml: sealed, ...others }) => ({
    ...without(others, renewed),
    ...(typeof sealed === 'string' && { config: openSecret(sealed) }),
  }),
  // The provider follows from the address.
  git_repository: (repository) => without(repository, ['provider']),
});

/**
 * The part of a configuration that decides what a deployment runs. It is equal for configurations with the same effect,
 * however they were stored: empty members, times, and the ids of parts that are replaced as a whole are left out, and
 * sealed values are opened.
 */
export function comparableSpec(spec: Members, openSecret: (sealed: string) => string): Members {
  const readings = readingsWith(openSecret);
  const read = (value: unknown, reading?: Reading[string]): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown) => read(item, reading));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(reading ? reading(value) : value).map(([name, member]) => [name, read(member, readings[name])]),
    );
  };
  const full = Object.entries(without(spec, unread)).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(full.map(([name, value]) => [name, read(value, readings[name])]));
}
