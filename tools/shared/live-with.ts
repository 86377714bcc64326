import { isServiceKind, joinPath, operations, serviceKinds } from '../../src/contract/index.ts';
import { originIn } from '../../src/analysis/index.ts';
import {
  omit,
  organizationOf,
  readUses,
  recordsIn,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type NextCall,
  type ReadUse,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readOf } from './any-service.ts';
import { ifPossible } from './if-possible.ts';
import type { VariableOwner } from './owned-variables.ts';
import { takenWithDeployment } from './variable-reach.ts';

/** Maximum number of services that an answer names. */
const mostNamed = 10;
/** Maximum number of deployments that it proposes. */
const mostProposed = 5;

/** The reads of `withLive`. */
export const readsOfLive: readonly ReadUse[] = readUses(
  'which services see it, and how each takes it at the commit that was deployed, is not told',
  operations.list_services,
  operations.get_organization,
  operations.list_services_of_organization,
  ...serviceKinds.filter((kind) => kind !== 'database').map((kind) => readOf('configuration', kind)),
);

const nameOf = (row: JsonRecord): string => textOf(row, 'name') ?? String(row['id']);

/** The services of a project, with the names of their environments; undefined if they can't be read at once. */
async function servicesOfProject(
  project_id: string,
  { before, whole }: Pick<ToolContext, 'before' | 'whole'>,
): Promise<readonly JsonRecord[] | undefined> {
  const organization_id = await organizationOf({ attempt: before });
  if (organization_id === undefined) return undefined;
  // Where there is no such list, nothing is said: that of each environment would take a request each.
  const list = await whole(operations.list_services_of_organization, { organization_id, project_id });
  return (
    list && rowsIn(list).map((row) => ({ ...row, name: joinPath([textOf(row, 'environment_name'), nameOf(row)]) }))
  );
}

/** The services that see the variables of an owner; undefined if they can't be read. */
async function seeing({ kind, id }: VariableOwner, context: ToolContext): Promise<readonly JsonRecord[] | undefined> {
  const { before } = context;
  if (isServiceKind(kind)) {
    const own: JsonRecord | undefined = await before(readOf('configuration', kind), { [`${kind}_id`]: id });
    return own && [{ ...own, service_type: kind }];
  }
  const list = kind === 'environment' ? await before(operations.list_services, { environment_id: id }) : undefined;
  const rows = kind === 'environment' ? list && rowsIn(list) : await servicesOfProject(id, context);
  return rows?.filter((row) => textOf(row, 'service_type')?.toLowerCase() !== 'database');
}

/** The first names of services, and how many more there are. */
function firstNames(rows: readonly JsonRecord[]): readonly string[] {
  const more = rows.length - mostNamed;
  return [...rows.slice(0, mostNamed).map(nameOf), ...(more > 0 ? [`${more} more`] : [])];
}

/** A deployed application with its commit. A deployment that names none takes the newest, which nobody asked for. */
const atItsCommit = (row: JsonRecord): readonly JsonRecord[] => {
  const commit = textOf(row, 'service_type')?.toLowerCase() === 'application' && originIn(row).git?.deployed;
  return typeof commit === 'string' ? [{ application_id: row['id'], git_commit_id: commit }] : [];
};

const deployable = (rows: readonly JsonRecord[]): readonly JsonRecord[] =>
  rows.flatMap(atItsCommit).slice(0, mostProposed);

const whoSees = 'Which services see it';

/** The arguments of the deployments that bring a change of an owner's variable into effect; undefined if not known. */
export async function applicationsToDeploy(
  owner: VariableOwner,
  context: ToolContext,
): Promise<readonly JsonRecord[] | undefined> {
  const rows = await ifPossible(context, whoSees, () => seeing(owner, context));
  return rows && deployable(rows);
}

/** The answer of a change of variables with who sees it, and the deployments that bring it into effect alone. */
export async function withLive(answer: JsonRecord, owner: VariableOwner, context: ToolContext): Promise<JsonRecord> {
  const rows = await ifPossible(context, whoSees, () => seeing(owner, context));
  const seenBy = isServiceKind(owner.kind) ? { seen_only_by: owner.kind } : rows && { seen_by: firstNames(rows) };
  return { ...answer, ...seenBy, ...(rows && { takes_it: deployable(rows) }) };
}

/** Who sees a variable, as lines. */
function seeingLines(names: unknown, only: unknown): readonly string[] {
  if (typeof only === 'string') return [`Seen by this ${only} only.`];
  if (!Array.isArray(names)) return [];
  return [
    names.length === 0
      ? 'No service sees it.'
      : `Services that see it, unless they have a value of their own: ${names.map(show).join(', ')}.`,
  ];
}

/** A renderer that tells who sees a variable, and when it takes effect. */
export const tellingLive = (inner: Renderer): Renderer => ({
  ...inner,
  text: ({ seen_by: names, seen_only_by: only, ...view }) =>
    [inner.text(omit(view, ['takes_it'])), ...seeingLines(names, only), takenWithDeployment].join('\n'),
});

/** Proposes to deploy the applications that see a variable at the commits that they were deployed at. */
export const liveCalls = (view: JsonRecord): readonly NextCall[] =>
  recordsIn(view['takes_it']).map((args) => ({
    tool: 'deploy_application',
    arguments: args,
    why: 'brings it into effect there, at the commit that was deployed',
  }));
