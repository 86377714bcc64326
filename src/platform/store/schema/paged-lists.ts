/** A paged list: its table, and the column of the owner whose rows form one list. */
interface PagedList {
  readonly table: string;
  readonly owner: string;
  /** The condition for rows to be in it. */
  readonly only?: string;
}

const ofOrganization = [
  'project',
  'cluster',
  'labels_group',
  'annotations_group',
  'registry',
  'helm_repository',
  'alert_rule',
  'alert_receiver',
  'role',
  'member',
  'webhook',
  'invitation',
];

/**
 * The lists whose totals are kept in `list_total`, so that pages need no counting. Lists of variables contain no
 * secrets.
 */
export const pagedLists: readonly PagedList[] = [
  ...ofOrganization.map((table) => ({ table, owner: 'organization_id' })),
  { table: 'environment', owner: 'project_id' },
  { table: 'service', owner: 'environment_id' },
  ...['project_id', 'environment_id', 'service_id'].map((owner) => ({
    table: 'variable',
    owner,
    only: 'sealed_value is null',
  })),
];
