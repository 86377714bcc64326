import { isServiceKind, operations, serviceKinds } from '../../src/contract/index.ts';
import { originIn } from '../../src/analysis/index.ts';
import {
  omit,
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
const mostNamed = 5;

/** The reads of `withLive`. */
export const readsOfLive: readonly ReadUse[] = readUses(
  'which services see it, and how each takes it at the commit that was deployed, is not told',
  operations.list_services,
  ...serviceKinds.filter((kind) => kind !== 'database').map((kind) => readOf('configuration', kind)),
);

/** The services that see the variables of an owner; undefined for a project, or if they can't be read. */
async function seeing(
  { kind, id }: VariableOwner,
  { before }: ToolContext,
): Promise<readonly JsonRecord[] | undefined> {
  if (kind === 'environment') {
    const list = await before(operations.list_services, { environment_id: id });
    return list && rowsIn(list).filter((row) => textOf(row, 'service_type')?.toLowerCase() !== 'database');
  }
  if (!isServiceKind(kind)) return undefined;
  const own: JsonRecord | undefined = await before(readOf('configuration', kind), { [`${kind}_id`]: id });
  return own && [{ ...own, service_type: kind }];
}

/** A deployed application with its commit. A deployment that names none takes the newest, which nobody asked for. */
const atItsCommit = (row: JsonRecord): readonly JsonRecord[] => {
  const commit = textOf(row, 'service_type')?.toLowerCase() === 'application' && originIn(row).git?.deployed;
  return typeof commit === 'string' ? [{ application_id: row['id'], git_commit_id: commit }] : [];
};

/** The answer of a change of variables with who sees it, and the deployments that bring it into effect alone. */
export async function withLive(answer: JsonRecord, owner: VariableOwner, context: ToolContext): Promise<JsonRecord> {
  const rows = await ifPossible(context, 'Which services see it', () => seeing(owner, context));
  if (!rows) return answer;
  const names = rows.map((row) => textOf(row, 'name') ?? String(row['id']));
  const more = names.length - mostNamed;
  return {
    ...answer,
    ...(owner.kind === 'environment' && {
      seen_by: [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])],
    }),
    takes_it: rows.flatMap(atItsCommit).slice(0, mostNamed),
  };
}

/** A renderer that tells who sees a variable, and when it takes effect. */
export const tellingLive = (inner: Renderer): Renderer => ({
  ...inner,
  text: ({ seen_by: names, ...view }) =>
    [
      inner.text(omit(view, ['takes_it'])),
      ...(Array.isArray(names)
        ? [
            names.length === 0
              ? 'No service sees it.'
              : `Services that see it, unless they have a value of their own: ${names.map(show).join(', ')}.`,
          ]
        : []),
      takenWithDeployment,
    ].join('\n'),
});

/** Proposes to deploy the applications that see a variable at the commits that they were deployed at. */
export const liveCalls = (view: JsonRecord): readonly NextCall[] =>
  recordsIn(view['takes_it']).map((args) => ({
    tool: 'deploy_application',
    arguments: args,
    why: 'brings it into effect there, at the commit that was deployed',
  }));
