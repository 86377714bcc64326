import {
  type AnyOperation,
  isServiceKind,
  parameterKind,
  type ReferenceKind,
  snakeCase,
  targetIn,
} from '../../contract/index.ts';
import type { Db } from '../store/index.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * The levels that requests lock, from the widest to the narrowest. All requests lock in this order, which prevents
 * deadlocks.
 */
const levels = ['organization', 'project', 'cluster', 'environment', 'alert_rule'] as const;
type Level = (typeof levels)[number];

/** Ids by level. */
type Ids = Readonly<Partial<Record<Level, readonly string[]>>>;

/** The objects that a request changes or checks, and those that its decision depends on. */
interface Decision {
  readonly decides: Ids;
  readonly dependsOn: Ids;
}

/**
 * The location of a resource, which never changes: environments stay in their project and on their cluster, services in
 * their environment.
 */
interface Place {
  readonly project?: string;
  readonly cluster?: string;
  readonly environment?: string;
}

async function environmentOf(db: Db, kind: ReferenceKind, id: string): Promise<string | undefined> {
  if (kind === 'environment') return id;
  return isServiceKind(kind)
    ? (await db.selectFrom('service').select('environment_id').where('id', '=', id).executeTakeFirst())?.environment_id
    : undefined;
}

/** The owner of a variable or secret. */
async function ownerOf(db: Db, id: string): Promise<Place> {
  const row = await db
    .selectFrom('variable')
    .leftJoin('service', 'service.id', 'variable.service_id')
    .select(['variable.project_id', 'variable.environment_id', 'service.environment_id as environment_of_service'])
    .where('variable.id', '=', id)
    .executeTakeFirst();
  if (row?.project_id) return { project: row.project_id };
  const environment = row?.environment_id ?? row?.environment_of_service;
  return environment ? { environment } : {};
}

/** What a deployment window is about. */
async function targetOfWindow(db: Db, id: string): Promise<Place> {
  const row = await db
    .selectFrom('deployment_window')
    .select(['project_id as project', 'cluster_id as cluster', 'environment_id as environment'])
    .where('id', '=', id)
    .executeTakeFirst();
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, found]) => found !== null));
}

async function placeOf(db: Db, kind: ReferenceKind, id: string): Promise<Place> {
  if (kind === 'project' || kind === 'cluster') return { [kind]: id };
  const { environment = await environmentOf(db, kind, id), ...owner } =
    kind === 'environment_variable'
      ? await ownerOf(db, id)
      : kind === 'deployment_window'
        ? await targetOfWindow(db, id)
        : {};
  if (environment === undefined) return owner;
  const row = await db
    .selectFrom('environment')
    .select(['project_id', 'cluster_id'])
    .where('id', '=', environment)
    .executeTakeFirst();
  return row ? { project: row.project_id, cluster: row.cluster_id, environment } : { environment };
}

const lastParam = ({ params }: AnyOperation, input: Input) => {
  const last: string | undefined = params.at(-1);
  return last === undefined ? undefined : { kind: parameterKind(last), id: String(input[snakeCase(last)]) };
};

/** The target of a request. Members that name the target count only where the request carries them. */
const targetOf = (op: AnyOperation, input: Input) => {
  const carriesTarget =
    op.targetBy === undefined || Object.hasOwn(op.body?.shape ?? {}, op.targetBy.id.split('.', 1)[0]!);
  return carriesTarget ? targetIn(op, input) : lastParam(op, input);
};

/** The ids of one kind that the members of a request refer to. */
const pointedAt = ({ roles }: AnyOperation, input: Input, kind: ReferenceKind): string[] =>
  Object.entries(roles).flatMap(([name, role]) => {
    const id = input[name];
    return typeof role === 'object' && 'pointsAt' in role && role.pointsAt === kind && typeof id === 'string'
      ? [id.toLowerCase()]
      : [];
  });

const organizationsOf = async (db: Db, projects: readonly string[]): Promise<string[]> =>
  (await db.selectFrom('project').select('organization_id').where('id', 'in', projects).execute()).map(
    ({ organization_id: id }) => id,
  );

const known = (id: string | undefined): string[] => (id === undefined ? [] : [id]);

/** The decision of a request, derived from the contract's declaration of its operation. */
async function decisionOf(op: AnyOperation, input: Input, db: Db): Promise<Decision> {
  const target = targetOf(op, input);
  const level = levels.find((one) => one === target?.kind);
  if (target && (level === 'organization' || level === 'alert_rule'))
    return { decides: { [level]: [target.id] }, dependsOn: {} };
  const { project, cluster, environment } = target ? await placeOf(db, target.kind, target.id.toLowerCase()) : {};
  const [otherProjects, otherClusters] = [pointedAt(op, input, 'project'), pointedAt(op, input, 'cluster')];
  // A new or renamed resource in a project needs a name that is unique there.
  const namesInProject =
    op.creates?.in === 'project' || (op.renames && level === 'environment') || environment === undefined;
  const clusterIsTarget = environment === undefined && cluster !== undefined;
  const [projects, clusters] = [
    [...known(project), ...otherProjects],
    [...known(cluster), ...otherClusters],
  ];
  return {
    decides: {
      ...(op.renames && level === 'project' && { organization: await organizationsOf(db, projects) }),
      ...(namesInProject && { project: projects }),
      ...(clusterIsTarget && { cluster: clusters }),
      environment: known(environment),
    },
    dependsOn: { ...(!namesInProject && { project: projects }), ...(!clusterIsTarget && { cluster: clusters }) },
  };
}

const lock = (db: Db, { decides, dependsOn }: Decision): Promise<void> =>
  db.lockInOrder(
    levels.flatMap((level) =>
      (
        [
          [decides, false],
          [dependsOn, true],
        ] as const
      ).flatMap(([ids, isShared]) => [...new Set(ids[level])].toSorted().map((name) => ({ name, isShared }))),
    ),
  );

/**
 * Locks the objects of a changing request until its transaction ends: the organization, project, cluster or environment
 * in which it checks and writes. An environment's lock covers its services and their variables. A change of a project's
 * variables locks all its environments. Objects that the decision depends on, such as the project of an environment and
 * the lock of its cluster, are shared with other requests, and can't change meanwhile either.
 */
export async function lockForRequest(op: AnyOperation, input: Input, db: Db): Promise<void> {
  const decision = await decisionOf(op, input, db);
  await lock(db, decision);
  const [project] = decision.decides.project ?? [];
  if (!op.reachesEnvironments || project === undefined) return;
  // No environment is added to the project while this transaction has the lock.
  const environments = await db
    .selectFrom('environment')
    .select(['id', 'cluster_id'])
    .where('project_id', '=', project)
    .execute();
  await lock(db, {
    decides: { environment: environments.map(({ id }) => id) },
    dependsOn: { cluster: environments.map(({ cluster_id: id }) => id) },
  });
}
