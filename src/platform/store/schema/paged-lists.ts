import { type DatabaseSchema, platformTables } from './schema.ts';

/** A paged list: its table, and the column of the owner whose rows form one list. */
export interface PagedList {
  readonly table: keyof DatabaseSchema;
  readonly owner: string;
  /** The condition for rows to be in it. */
  readonly only?: string;
}

/** The tables whose rows belong to an organization, and are listed. */
const ofOrganization = [
  'project',
  'cluster',
  'labels_group',
  'annotations_group',
  'registry',
  'helm_repository',
  'git_token',
  'alert_rule',
  'alert_receiver',
  'role',
  'member',
  'webhook',
  'invitation',
] as const satisfies readonly (keyof DatabaseSchema)[];
export type OrganizationTable = (typeof ofOrganization)[number];

/**
 * The lists whose totals are kept in `list_total`, so that pages need no counting. Lists of variables contain no
 * secrets.
 */
export const pagedLists: readonly PagedList[] = [
  ...ofOrganization.map((table) => ({ table, owner: 'organization_id' })),
  { table: 'environment', owner: 'project_id' },
  { table: 'service', owner: 'environment_id' },
  ...['project_id', 'environment_id', 'service_id'].map((owner) => ({
    table: 'variable' as const,
    owner,
    only: 'sealed_value is null',
  })),
];

/** The lists whose tables a step of the schema adds. */
export const listsSince = (step: number): readonly PagedList[] =>
  pagedLists.filter(({ table }) => (platformTables[table].options.since ?? 1) === step);

/**
 * The start of the names of a list's triggers, and the condition that a row is in the list.
 * @returns `counted` takes the name of the row in a trigger: `new` or `old`
 */
export const totalTriggerOf = ({ table, owner, only }: PagedList) => ({
  trigger: `${table}_of_${owner.replace('_id', '')}`,
  counted: (row: string): string => `${row}.${owner} is not null${only === undefined ? '' : ` and ${row}.${only}`}`,
});
