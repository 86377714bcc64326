import { operations } from '../../src/contract/index.ts';
import { textAt, textOf, wholeListIn, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

/** Rows of a list of an organization, by the id of what they lie in. */
export type RowsByPlace = ReadonlyMap<string | undefined, readonly JsonRecord[]>;

/** Rows by a member; undefined if they aren't all there, or one of them lacks a member that is needed. */
const grouped = (
  rows: readonly JsonRecord[] | undefined,
  by: string,
  needed: readonly string[],
): RowsByPlace | undefined =>
  rows?.every((row) => [by, ...needed].every((member) => textAt(row, member) !== undefined))
    ? Map.groupBy(rows, (row) => textAt(row, by))
    : undefined;

/**
 * The environments of an organization by their projects, from one list; undefined if the platform doesn't give it whole.
 * The lists of the projects tell them then.
 */
export const environmentsByProject = async (
  organization_id: string,
  { whole }: Pick<ToolContext, 'whole'>,
): Promise<RowsByPlace | undefined> =>
  grouped(wholeListIn(await whole(operations.list_environments_of_organization, { organization_id })), 'project.id', [
    'id',
    'name',
    'mode',
  ]);

/**
 * The services of an organization by their environments, from one list; undefined if the platform doesn't give it whole.
 * The lists of the environments tell them then.
 */
export const servicesByEnvironment = async (
  organization_id: string,
  { whole }: Pick<ToolContext, 'whole'>,
): Promise<RowsByPlace | undefined> =>
  grouped(wholeListIn(await whole(operations.list_services_of_organization, { organization_id })), 'environment_id', [
    'id',
    'name',
    'service_type',
  ]);

/** The state that a row of such a list tells of its service; undefined if it tells none. */
export const stateInRow = (row: JsonRecord): string | undefined =>
  textOf(row['status'] as JsonRecord | undefined, 'state');
