import type { Selectable } from 'kysely';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import type { AnnotationsGroupTable, LabelsGroupTable } from '../../store/index.ts';
import { isoNow } from '../../common/index.ts';
import { findById, findInOrganization } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, requireFreeName, withoutNulls } from './rows.ts';
import { requireUnused, usesOf } from './uses.ts';

/** A labels group in responses. */
export const labelsGroup = (row: Selectable<LabelsGroupTable>) => ({
  ...row,
  labels: JSON.parse(row.labels) as { key: string; value: string; propagate_to_cloud_provider: boolean }[],
});

/** An annotations group in responses. */
export const annotationsGroup = (row: Selectable<AnnotationsGroupTable>) => ({
  ...row,
  annotations: JSON.parse(row.annotations) as { key: string; value: string }[],
  scopes: JSON.parse(row.scopes) as string[],
});

/** The columns of a new row of an organization, once its name is known to be free. */
async function newRow(
  table: 'labels_group' | 'annotations_group',
  organizationId: string,
  name: string,
  { db, clock, random }: RequestContext,
) {
  await findById(db, 'organization', organizationId);
  await requireFreeName(db, table, organizationId, name);
  const now = isoNow(clock);
  return { id: random.uuid(), created_at: now, updated_at: now, organization_id: organizationId, name };
}

/** Deletes a group that no service has. */
async function deleteGroup(
  table: 'labels_group' | 'annotations_group',
  organizationId: string,
  id: string,
  { db }: RequestContext,
): Promise<undefined> {
  await requireUnused(table, organizationId, id, db);
  await db.deleteFrom(table).where('id', '=', id).execute();
  return undefined;
}

const labelColumns = ({ labels }: { labels: readonly object[] }) => ({ labels: JSON.stringify(labels) });
const annotationColumns = ({ annotations, scopes }: { annotations: readonly object[]; scopes: readonly string[] }) => ({
  annotations: JSON.stringify(annotations),
  scopes: JSON.stringify([...new Set(scopes)]),
});

export const groupHandlers = {
  get_labels_group: async ({ organization_id, labels_group_id }, { db }) =>
    labelsGroup(await findInOrganization(db, 'labels_group', organization_id, labels_group_id)),
  create_labels_group: async ({ organization_id, name, ...group }, context) =>
    labelsGroup(
      await context.db
        .insertInto('labels_group')
        .values({ ...(await newRow('labels_group', organization_id, name, context)), ...labelColumns(group) })
        .returningAll()
        .executeTakeFirstOrThrow(),
    ),
  update_labels_group: async ({ organization_id, labels_group_id: id, name, ...group }, { db, clock }) => {
    await findInOrganization(db, 'labels_group', organization_id, id);
    await requireFreeName(db, 'labels_group', organization_id, name, id);
    return labelsGroup(
      await db
        .updateTable('labels_group')
        .set({ name, ...labelColumns(group), updated_at: isoNow(clock) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
  },
  delete_labels_group: async ({ organization_id, labels_group_id }, context) =>
    deleteGroup('labels_group', organization_id, labels_group_id, context),
  list_services_of_labels_group: async ({ organization_id, labels_group_id }, { db }) => ({
    results: await usesOf('labels_group', organization_id, labels_group_id, db),
  }),
  get_annotations_group: async ({ organization_id, annotations_group_id }, { db }) =>
    annotationsGroup(await findInOrganization(db, 'annotations_group', organization_id, annotations_group_id)),
  create_annotations_group: async ({ organization_id, name, ...group }, context) =>
    annotationsGroup(
      await context.db
        .insertInto('annotations_group')
        .values({ ...(await newRow('annotations_group', organization_id, name, context)), ...annotationColumns(group) })
        .returningAll()
        .executeTakeFirstOrThrow(),
    ),
  update_annotations_group: async ({ organization_id, annotations_group_id: id, name, ...group }, { db, clock }) => {
    await findInOrganization(db, 'annotations_group', organization_id, id);
    await requireFreeName(db, 'annotations_group', organization_id, name, id);
    return annotationsGroup(
      await db
        .updateTable('annotations_group')
        .set({ name, ...annotationColumns(group), updated_at: isoNow(clock) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
  },
  delete_annotations_group: async ({ organization_id, annotations_group_id }, context) =>
    deleteGroup('annotations_group', organization_id, annotations_group_id, context),
  list_services_of_annotations_group: async ({ organization_id, annotations_group_id }, { db }) => ({
    results: await usesOf('annotations_group', organization_id, annotations_group_id, db),
  }),
  list_labels_groups: async (input, context) =>
    pageOf(await ownedBy(context, 'labels_group', input.organization_id), input, (rows) => rows.map(labelsGroup)),
  list_annotations_groups: async (input, context) =>
    pageOf(await ownedBy(context, 'annotations_group', input.organization_id), input, (rows) =>
      rows.map(annotationsGroup),
    ),
  list_container_registries: async (input, context) =>
    pageOf(await ownedBy(context, 'registry', input.organization_id), input, (rows) => rows.map(withoutNulls)),
} satisfies OperationHandlers<
  | `${'get' | 'create' | 'update' | 'delete' | 'list_services_of'}_${'labels' | 'annotations'}_group`
  | 'list_labels_groups'
  | 'list_annotations_groups'
  | 'list_container_registries'
>;
