import { isRecord, isServiceKind, parseJson, serviceKinds, type JsonRecord } from '../../../contract/index.ts';
import { defaultIcon, defaultProvider } from '../../common/index.ts';
import { shownAddress } from '../../engine/index.ts';
import { compiled, type DatabaseSchema, type Db } from '../../store/index.ts';
import type { MemberDefaults } from './changed-members.ts';

/** Something that an operation changes, by its kind and id. */
export interface ChangedResource {
  readonly kind: string;
  readonly id: string;
}

/** The location of a resource, with the names at that time. */
interface Place {
  readonly project_id?: string;
  readonly project_name?: string;
  readonly environment_id?: string;
  readonly environment_name?: string;
}

/** The subject of an event: the target, its place, and the members that may change. */
export interface DescribedSubject {
  readonly target: {
    readonly target_type: string;
    readonly target_id: string | null;
    readonly target_name: string;
    readonly sub_target_type: string | null;
  };
  readonly place: Place;
  readonly members: JsonRecord;
  /** Members that identify the subject where the target doesn't. */
  readonly identifying: readonly string[];
  /** The values of members that were not given. */
  readonly defaults: MemberDefaults;
}

const tableOf = (kind: string): keyof DatabaseSchema =>
  (isServiceKind(kind)
    ? 'service'
    : kind === 'secret' || kind === 'environment_variable'
      ? 'variable'
      : kind) as keyof DatabaseSchema;

const finder = (table: keyof DatabaseSchema, key: string) =>
  compiled((db, { id }: { readonly id: string }) =>
    db
      .selectFrom(table as 'project')
      .selectAll()
      .where(key as 'id', '=', id)
      .limit(1),
  );

const finders = new Map<string, ReturnType<typeof finder>>();

async function rowOf(db: Db, table: keyof DatabaseSchema, id: string, key = 'id'): Promise<JsonRecord | undefined> {
  const name = `${table}.${key}`;
  const find = finders.get(name) ?? finder(table, key);
  finders.set(name, find);
  return (await find(db, { id }))[0];
}

/** Columns that say nothing about a change: ids of places, times, and columns that the engine writes. */
const silent =
  /^(?:id|created_at|updated_at|hash|revoked_at|updated_by|seq|(?:organization|project|environment|service|linked_variable|last_execution|last_deployment|cluster)_id|state|deployed_\w+|deployment_status|last_\w+_at|inviter|expires_at)$/;

const parsed = (value: unknown): unknown =>
  typeof value === 'string' && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value;

const membersOf = (row: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (silent.test(name) ? [] : [[name, parsed(value)]])),
  );

const textIn = (row: JsonRecord | undefined, name: string): string | undefined =>
  typeof row?.[name] === 'string' ? row[name] : undefined;

async function placeOf(db: Db, row: JsonRecord, kind: string): Promise<Place> {
  const service =
    kind !== 'service' && textIn(row, 'service_id') !== undefined
      ? await rowOf(db, 'service', textIn(row, 'service_id')!)
      : undefined;
  const environment =
    kind === 'environment' ? row : await findOptional(db, 'environment', textIn(service ?? row, 'environment_id'));
  const project =
    kind === 'project' ? row : await findOptional(db, 'project', textIn(environment ?? row, 'project_id'));
  return {
    ...(environment && { environment_id: textIn(environment, 'id')!, environment_name: textIn(environment, 'name')! }),
    ...(project && { project_id: textIn(project, 'id')!, project_name: textIn(project, 'name')! }),
  };
}

const findOptional = async (
  db: Db,
  table: 'environment' | 'project',
  id: string | undefined,
): Promise<JsonRecord | undefined> => (id === undefined ? undefined : rowOf(db, table, id));

const targetTypes: Readonly<Record<string, string>> = {
  registry: 'CONTAINER_REGISTRY',
  member: 'MEMBERS_AND_ROLES',
  invitation: 'MEMBERS_AND_ROLES',
};

/** Kinds that are targets themselves. The others are parts of their holders. */
const targetKinds: readonly string[] = [
  ...serviceKinds,
  'environment',
  'project',
  'organization',
  'cluster',
  'webhook',
  'helm_repository',
  'labels_group',
  'annotations_group',
  'registry',
  'member',
  'invitation',
];

const typeOf = (kind: string): string => targetTypes[kind] ?? kind.toUpperCase();

/** The holder of a resource that isn't a target itself: a service, an environment, a project or the organization. */
async function holderOf(db: Db, row: JsonRecord): Promise<{ kind: string; row: JsonRecord } | undefined> {
  for (const kind of ['service', 'environment', 'project', 'organization'] as const) {
    const id = textIn(row, `${kind}_id`);
    // The first one that exists.
    const found = id === undefined ? undefined : await rowOf(db, kind, id);
    if (found) return { kind: kind === 'service' ? String(found['kind']) : kind, row: found };
  }
  return undefined;
}

const subTypeOf = (kind: string, row: JsonRecord): string => {
  if (tableOf(kind) === 'variable') return row['sealed_value'] === null ? 'VARIABLE' : 'SECRET';
  return kind.toUpperCase();
};

/** The address of a webhook, as far as it may be shown. */
const webhookName = (row: JsonRecord): string | undefined => {
  const url = textIn(row, 'target_url');
  return url === undefined ? undefined : shownAddress({ kind: String(row['kind']), target_url: url });
};

const nameOf = (row: JsonRecord): string =>
  textIn(row, 'name') ?? textIn(row, 'email') ?? textIn(row, 'key') ?? webhookName(row) ?? textIn(row, 'id') ?? '';

async function organizationId(db: Db): Promise<string | undefined> {
  const found = await db.selectFrom('organization').select('id').orderBy('created_at').executeTakeFirst();
  return found?.id;
}

/** The name of the role of a member or an invitation. */
async function roleOf(db: Db, row: JsonRecord): Promise<JsonRecord> {
  const role = await rowOf(db, 'role', String(row['role_id']));
  return role ? { role: role['name'] } : {};
}

/** The names of a member's tokens, under which their removal records them. */
const tokenNames = async (db: Db, member: string): Promise<string[]> =>
  (
    await db
      .selectFrom('api_token')
      .select('name')
      .where('member_id', '=', member)
      .where('revoked_at', 'is', null)
      .orderBy('name')
      .execute()
  ).map(({ name }) => name);

async function extraMembers(db: Db, { kind, id }: ChangedResource, row: JsonRecord): Promise<JsonRecord> {
  if (kind === 'invitation') return roleOf(db, row);
  if (kind === 'member') return { ...(await roleOf(db, row)), revoked_with_them: await tokenNames(db, id) };
  if (kind === 'cluster') {
    const lock = await rowOf(db, 'cluster_lock', id, 'cluster_id');
    return { lock: lock ? membersOf(lock) : null };
  }
  return kind === 'organization' ? ((await rowOf(db, 'billing_info', id, 'organization_id')) ?? {}) : {};
}

/** Describes the current state of a resource; undefined if it doesn't exist. */
export async function describeSubject(db: Db, subject: ChangedResource): Promise<DescribedSubject | undefined> {
  const { kind, id } = subject;
  const table = tableOf(kind);
  const row = await rowOf(db, table, id);
  // A revoked token is kept, and counts as gone.
  if (!row || (row['revoked_at'] ?? null) !== null) return undefined;
  const isTarget = targetKinds.includes(kind);
  // A token has no column for the organization, because there is one.
  const holder = isTarget
    ? undefined
    : await holderOf(db, kind === 'api_token' ? { organization_id: await organizationId(db) } : row);
  const [targetKind, target] = holder ? [holder.kind, holder.row] : [kind, row];
  const own =
    table === 'service'
      ? { name: row['name'], ...(isRecord(parsed(row['spec'])) ? (parsed(row['spec']) as JsonRecord) : {}) }
      : kind === 'organization'
        ? {}
        : membersOf(row);
  const extra = await extraMembers(db, subject, row);
  return {
    target: {
      target_type: typeOf(targetKind),
      target_id: textIn(target, 'id') ?? null,
      target_name: nameOf(target),
      sub_target_type:
        kind === 'organization'
          ? 'BILLING_INFO'
          : kind === 'invitation'
            ? 'INVITATION'
            : isTarget
              ? null
              : subTypeOf(kind, row),
    },
    place: await placeOf(db, row, table),
    members: { ...own, ...(kind === 'organization' ? membersOf(extra) : extra) },
    identifying: isTarget ? [] : ['key', 'name', 'domain'],
    defaults: {
      icon_uri: isServiceKind(kind) ? defaultIcon(kind) : null,
      provider: defaultProvider,
      gpu: 0,
      enable_interpolation_in_file: 0,
    },
  };
}
