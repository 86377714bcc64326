import type { Platform } from '../platform.ts';
import { asText, Failure, type Members } from '../schema.ts';
import { serviceType } from '../service-answers.ts';
import { find, type Variable } from '../store.ts';

const brief = (row: Variable | undefined) =>
  row === undefined
    ? undefined
    : {
        id: row.id,
        key: row.key,
        ...(row.is_secret ? {} : { value: row.value }),
        mount_path: row.mount_path,
        scope: row.scope,
        variable_type: row.variable_type,
      };

/** What variables have in common, whether they are reached by their scope or all in one place. */
export function variableStore(platform: Platform) {
  const { store, on } = platform;

  const answer = (row: Variable, unified = false): Members => {
    const service = store.services.find(({ id }) => id === row.parent_id);
    const overridden = brief(store.variables.find(({ id }) => id === row.overrides));
    const aliased = brief(store.variables.find(({ id }) => id === row.aliases));
    const hidden = unified && on('unlikeMembers') ? { value: null } : {};
    return {
      id: row.id,
      created_at: row.created_at,
      updated_at: row.updated_at,
      key: row.key,
      scope: row.scope,
      variable_type: row.variable_type,
      mount_path: row.mount_path,
      ...(row.is_secret ? hidden : { value: row.value }),
      description: row.description ?? '',
      enable_interpolation_in_file: row.enable_interpolation_in_file ?? false,
      ...(row.is_secret && !unified
        ? { overridden_secret: overridden, aliased_secret: aliased }
        : { overridden_variable: overridden, aliased_variable: aliased }),
      ...(service === undefined
        ? {}
        : { service_id: service.id, service_name: service.spec.name, service_type: serviceType(platform, service) }),
      ...(row.owned_by === undefined ? {} : { owned_by: row.owned_by }),
      ...(unified ? { is_secret: row.is_secret, secret_manager_access_id: null } : {}),
    };
  };

  /** The parents whose variables a parent sees: itself, and what it lies in. */
  const lineage = (parent: string): string[] => {
    const service = store.services.find(({ id }) => id === parent);
    const environment = store.environments.find(({ id }) => id === (service?.environment_id ?? parent));
    return [parent, service?.environment_id, environment?.project_id].filter((one) => one !== undefined);
  };
  const seenBy = (parent: string) => store.variables.filter((row) => lineage(parent).includes(row.parent_id));

  const known = (id: unknown) => find(store.variables, id, 'variable');

  const fixed = (row: Variable) => {
    if (row.variable_type === 'BUILT_IN' || row.scope === 'BUILT_IN')
      throw new Failure(400, `${row.key} is built in: it can't be changed`);
    if (row.owned_by !== undefined && !on('ownedByAnyone'))
      throw new Failure(400, `${row.key} belongs to ${row.owned_by}: change it there`);
  };

  const add = (scope: string, parent: string, body: Members, more: Partial<Variable> = {}): Variable => {
    if (store.variables.some((row) => row.parent_id === parent && row.key === body.key))
      throw new Failure(on('conflicts') ? 409 : 400, `The key ${String(body.key)} is taken`);
    const row: Variable = {
      id: platform.newId(),
      created_at: platform.date(),
      updated_at: platform.date(),
      key: String(body.key),
      value: asText(body.value),
      is_secret: body.is_secret === true,
      scope,
      parent_id: parent,
      variable_type: typeof body.mount_path === 'string' ? 'FILE' : 'VALUE',
      mount_path: (body.mount_path ?? null) as string | null,
      description: (body.description ?? '') as string,
      enable_interpolation_in_file: body.enable_interpolation_in_file === true,
      ...(on('ownedByAnyone') ? { owned_by: 'FJORD' } : {}),
      ...more,
    };
    store.variables.push(row);
    touch(parent);
    return row;
  };

  /** A changed variable makes its service outdated until the next deployment. */
  const touch = (parent: string) => {
    const service = store.services.find(({ id }) => id === parent);
    if (service !== undefined) service.updated_at = platform.date();
  };

  const change = (row: Variable, body: Members): Variable => {
    fixed(row);
    if (row.overrides !== undefined && body.key !== row.key)
      throw new Failure(400, "An override's key can't be changed");
    Object.assign(
      row,
      Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null)),
      { updated_at: platform.date() },
    );
    touch(row.parent_id);
    return row;
  };

  const drop = (row: Variable): void => {
    fixed(row);
    store.variables = store.variables.filter(
      (other) => other !== row && other.overrides !== row.id && other.aliases !== row.id,
    );
    touch(row.parent_id);
  };

  const override = (row: Variable, scope: string, parent: string, body: Members) => {
    if (row.parent_id === parent) throw new Failure(400, 'Only what comes from a wider scope can be overridden');
    return add(
      scope,
      parent,
      { ...body, key: row.key, is_secret: row.is_secret },
      { variable_type: 'OVERRIDE', overrides: row.id },
    );
  };

  const alias = (row: Variable, scope: string, parent: string, body: Members) => {
    if (row.aliases !== undefined) throw new Failure(400, 'There is no alias of an alias');
    return add(
      scope,
      parent,
      { ...body, value: row.value, is_secret: row.is_secret },
      { variable_type: 'ALIAS', aliases: row.id },
    );
  };

  return { answer, seenBy, known, add, change, drop, override, alias };
}
