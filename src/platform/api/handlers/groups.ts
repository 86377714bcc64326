import type { Selectable } from 'kysely';
import type { AnnotationsGroupTable, LabelsGroupTable } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { organizationResources } from './organization-resources.ts';

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

const labels = organizationResources('labels_group', {
  columns: (request: { labels: readonly object[] }) => ({ labels: JSON.stringify(request.labels) }),
  answer: labelsGroup,
});

const annotations = organizationResources('annotations_group', {
  columns: (request: { annotations: readonly object[]; scopes: readonly string[] }) => ({
    annotations: JSON.stringify(request.annotations),
    scopes: JSON.stringify([...new Set(request.scopes)]),
  }),
  answer: annotationsGroup,
});

export const groupHandlers = {
  list_labels_groups: labels.list,
  create_labels_group: labels.create,
  get_labels_group: ({ organization_id, labels_group_id }, context) =>
    labels.get(organization_id, labels_group_id, context),
  update_labels_group: ({ labels_group_id, ...group }, context) => labels.update(labels_group_id, group, context),
  delete_labels_group: ({ organization_id, labels_group_id }, context) =>
    labels.remove(organization_id, labels_group_id, context),
  list_services_of_labels_group: ({ organization_id, labels_group_id }, context) =>
    labels.uses(organization_id, labels_group_id, context),
  list_annotations_groups: annotations.list,
  create_annotations_group: annotations.create,
  get_annotations_group: ({ organization_id, annotations_group_id }, context) =>
    annotations.get(organization_id, annotations_group_id, context),
  update_annotations_group: ({ annotations_group_id, ...group }, context) =>
    annotations.update(annotations_group_id, group, context),
  delete_annotations_group: ({ organization_id, annotations_group_id }, context) =>
    annotations.remove(organization_id, annotations_group_id, context),
  list_services_of_annotations_group: ({ organization_id, annotations_group_id }, context) =>
    annotations.uses(organization_id, annotations_group_id, context),
} satisfies OperationHandlers<
  | `${'get' | 'create' | 'update' | 'delete' | 'list_services_of'}_${'labels' | 'annotations'}_group`
  | `list_${'labels' | 'annotations'}_groups`
>;
