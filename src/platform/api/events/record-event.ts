import {
  isRecord,
  isServiceKind,
  parameterKind,
  snakeCase,
  type AnyOperation,
  type JsonRecord,
} from '../../../contract/index.ts';
import { isoNow, type PlatformClock } from '../../common/index.ts';
import { restoredFrom } from '../../engine/index.ts';
import type { Db } from '../../store/index.ts';
import { changedMembers, type ChangedMembers } from './changed-members.ts';
import { describeSubject, type DescribedSubject, type ChangedResource } from './subject.ts';

/** The requester of a change, and the client they used. */
export interface Actor {
  readonly name: string;
  readonly origin: string;
  readonly userAgent?: string | undefined;
}

/** The types of events, by the first word of the operation's name. */
const eventTypes: Readonly<Record<string, string>> = {
  create: 'CREATE',
  invite: 'CREATE',
  override: 'CREATE',
  update: 'UPDATE',
  set: 'UPDATE',
  silence: 'UPDATE',
  unsilence: 'UPDATE',
  unset: 'UPDATE',
  delete: 'DELETE',
  remove: 'DELETE',
  revoke: 'DELETE',
  clone: 'CLONE',
  import: 'IMPORT',
  lock: 'LOCK',
  unlock: 'UNLOCK',
  upgrade: 'MAINTENANCE',
  deploy: 'TRIGGER_DEPLOY',
  start: 'TRIGGER_DEPLOY',
  redeploy: 'TRIGGER_REDEPLOY',
  restart: 'TRIGGER_RESTART',
  stop: 'TRIGGER_STOP',
  cancel: 'TRIGGER_CANCEL',
  run: 'TRIGGER_FORCE_RUN',
  plan: 'TRIGGER_DEPLOY_DRY_RUN',
  restore: 'TRIGGER_DEPLOY',
  test: 'TRIGGER_TEST',
};

/**
 * The type of the event of an operation that changes something.
 * @throws Error for an operation whose name starts with an unknown word
 */
export function eventTypeOf({ name }: Pick<AnyOperation, 'name'>): string {
  const type = eventTypes[name.split('_', 1)[0]!];
  if (type === undefined) throw new Error(`${name}: no event type is known for operations with this first word`);
  return type;
}

type Input = Readonly<Record<string, unknown>>;

const createdBy = ({ creates }: AnyOperation, answer: unknown): ChangedResource | undefined =>
  creates && isRecord(answer) && typeof answer['id'] === 'string'
    ? { kind: creates.kind, id: answer['id'] }
    : undefined;

/**
 * The resource that a member names or, without one, the last that a path names. The operation changes it, unless it
 * creates something.
 */
const namedBy = ({ params, changed }: AnyOperation, input: Input): ChangedResource | undefined => {
  if (changed) return { kind: changed.kind, id: String(input[changed.by]) };
  const last: string | undefined = params.at(-1);
  const id = last === undefined ? undefined : input[snakeCase(last)];
  return last !== undefined && typeof id === 'string' ? { kind: parameterKind(last), id } : undefined;
};

/** The body of a request for work, with the names of services in place of their ids. */
async function orderedWork(db: Db, op: AnyOperation, input: Input): Promise<JsonRecord> {
  const named: readonly string[] = op.params.map(snakeCase);
  const members = Object.entries(input).filter(([name, value]) => value !== undefined && !named.includes(name));
  const ids = members.flatMap(([name, value]) =>
    name.endsWith('_ids') && Array.isArray(value) ? value.map(String) : [],
  );
  const services =
    ids.length === 0
      ? []
      : await db.selectFrom('service').select('name').where('id', 'in', ids).orderBy('name').execute();
  return {
    ...Object.fromEntries(members.filter(([name]) => !name.endsWith('_ids'))),
    ...(services.length > 0 && { services: services.map(({ name }) => name) }),
  };
}

/**
 * The deployment that a request for work began, so that its outcome can be told to be that of the request. For a request
 * in an environment that is answered with nothing, it is the newest there.
 */
async function deploymentOf(db: Db, { environment_id: queue }: Input, answer: unknown): Promise<JsonRecord> {
  const id = isRecord(answer)
    ? (answer['deployment_request_id'] ?? answer['last_deployment_id'] ?? answer['execution_id'])
    : undefined;
  if (typeof id === 'string') return { deployment_id: id };
  if (answer !== undefined || typeof queue !== 'string') return {};
  const newest = await db
    .selectFrom('deployment')
    .select('id')
    .where('queue', '=', queue)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest ? { deployment_id: newest.id } : {};
}

/** What of a deletion is still to come: its deployment, if what it deletes has to be taken down first. */
async function deletionUnderWay(db: Db, { kind }: ChangedResource, { place }: DescribedSubject): Promise<JsonRecord> {
  if ((kind !== 'environment' && !isServiceKind(kind)) || place.environment_id === undefined) return {};
  const found = await db
    .selectFrom('deployment')
    .select('id')
    .where('queue', '=', place.environment_id)
    .where('action', '=', 'DELETE')
    .where('due_ms', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found ? { deployment_id: found.id } : {};
}

/** The name of the backup that a deployment restores a database from. */
async function restorationIn(db: Db, { deployment_id: id }: JsonRecord): Promise<JsonRecord> {
  if (typeof id !== 'string') return {};
  const found = await db
    .selectFrom('deployment_service')
    .select('restoration')
    .where('deployment_id', '=', id)
    .executeTakeFirst();
  return restoredFrom(found?.restoration ?? null);
}

/** What a request for work ordered, and the deployment that it began. */
async function workIn(db: Db, op: AnyOperation, input: Input, answer: unknown): Promise<JsonRecord> {
  const deployment = await deploymentOf(db, input, answer);
  const { backup_id: _, ...ordered } = await orderedWork(db, op, input);
  return { ...ordered, ...(op.name.startsWith('restore_') && (await restorationIn(db, deployment))), ...deployment };
}

/** The requested upgrade. It has not happened yet when its event is recorded. */
const orderedUpgrade = ({ version, next_version }: JsonRecord): ChangedMembers =>
  changedMembers({ version }, { version: next_version });

const longestAgent = 200;

/** Writes one event. */
async function writeEvent(
  db: Db,
  type: string,
  { target, place }: Pick<DescribedSubject, 'target' | 'place'>,
  { change, original_change }: ChangedMembers,
  actor: Actor,
  at: string,
): Promise<void> {
  const { id: organization_id } = await db
    .selectFrom('organization')
    .select('id')
    .orderBy('created_at')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('audit_event')
    .values({
      organization_id,
      created_at: at,
      event_type: type,
      ...target,
      change,
      original_change,
      origin: actor.origin,
      triggered_by: actor.name,
      user_agent: actor.userAgent?.slice(0, longestAgent) ?? null,
      project_id: place.project_id ?? null,
      project_name: place.project_name ?? null,
      environment_id: place.environment_id ?? null,
      environment_name: place.environment_name ?? null,
    })
    .execute();
}

/**
 * Carries out a change and records its event in the same transaction.
 * @param run carries the change out
 */
export async function withEvent<Answer>(
  op: AnyOperation,
  input: Input,
  { db, clock }: { readonly db: Db; readonly clock: PlatformClock },
  actor: Actor,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const type = eventTypeOf(op);
  const named = namedBy(op, input);
  const before = named && !op.creates ? await describeSubject(db, named) : undefined;
  const answer = await run();
  const subject = createdBy(op, answer) ?? named;
  const after = subject && (await describeSubject(db, subject));
  const described = after ?? before;
  if (!described) return answer;
  // What is deleted is still there: it is taken down first.
  const toCome = type === 'DELETE' && named && after ? await deletionUnderWay(db, named, after) : {};
  if (toCome['deployment_id'] !== undefined) {
    await writeEvent(db, 'TRIGGER_DELETE', described, changedMembers(undefined, toCome), actor, isoNow(clock));
    return answer;
  }
  const changed = type.startsWith('TRIGGER_')
    ? changedMembers(undefined, await workIn(db, op, input, answer))
    : type === 'MAINTENANCE' && before
      ? orderedUpgrade(before.members)
      : changedMembers(
          op.creates ? undefined : before?.members,
          after?.members,
          described.identifying,
          described.defaults,
        );
  await writeEvent(db, type, described, changed, actor, isoNow(clock));
  return answer;
}

/**
 * Makes a change outside any request, such as one in the past, with its event.
 * @param at its time, ISO 8601
 * @param op the operation that makes such a change by request; default: the update of the subject
 */
export async function withRecordedChange(
  db: Db,
  subject: ChangedResource,
  actor: Actor,
  at: string,
  run: () => Promise<void>,
  op: Pick<AnyOperation, 'name'> = { name: 'update' },
): Promise<void> {
  const before = await describeSubject(db, subject);
  await run();
  const after = await describeSubject(db, subject);
  if (after)
    await writeEvent(
      db,
      eventTypeOf(op),
      after,
      changedMembers(before?.members, after.members, after.identifying, after.defaults),
      actor,
      at,
    );
}
