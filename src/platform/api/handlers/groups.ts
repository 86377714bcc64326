import type { Selectable } from 'kysely';
import type { OperationHandlers } from '../handler.ts';
import type { AnnotationsGroupTable, LabelsGroupTable } from '../../store/index.ts';
import { findInOrganization } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

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

export const groupHandlers = {
  get_labels_group: async ({ organization_id, labels_group_id }, { db }) =>
    labelsGroup(await findInOrganization(db, 'labels_group', organization_id, labels_group_id)),
  list_labels_groups: async (input, context) =>
    pageOf(await ownedBy(context, 'labels_group', input.organization_id), input, (rows) => rows.map(labelsGroup)),
  list_annotations_groups: async (input, context) =>
    pageOf(await ownedBy(context, 'annotations_group', input.organization_id), input, (rows) =>
      rows.map(annotationsGroup),
    ),
  list_container_registries: async (input, context) =>
    pageOf(await ownedBy(context, 'registry', input.organization_id), input, (rows) => rows.map(withoutNulls)),
} satisfies OperationHandlers<
  'get_labels_group' | 'list_labels_groups' | 'list_annotations_groups' | 'list_container_registries'
>;
