import { operation } from '../operation.ts';
import { AnnotationsGroupRequest, LabelsGroupRequest } from '../resources/group.ts';
import { AnnotationsGroup, LabelsGroup } from '../resources/service.ts';
import { read, undocumented } from './common.ts';
import { usesOf } from './registries.ts';

const labels = '/organization/{organizationId}/labelsGroups';
const annotations = '/organization/{organizationId}/annotationsGroups';

const create = { ...undocumented, method: 'POST', effect: 'write', target: 'organization' } as const;
/** Reaches every service that has the group, in whatever environment. */
const change = { ...undocumented, effect: 'destructive', permission: 'admin', target: 'organization' } as const;

/** Operations outside the API document: groups of labels and annotations that services have. */
export const groupExtensions = {
  create_labels_group: operation({
    ...create,
    name: 'create_labels_group',
    path: labels,
    body: LabelsGroupRequest,
    response: LabelsGroup,
    creates: { kind: 'labels_group', in: 'organization' },
    summary: 'Create a labels group.',
  }),
  update_labels_group: operation({
    ...change,
    name: 'update_labels_group',
    method: 'PUT',
    path: `${labels}/{labelsGroupId}`,
    body: LabelsGroupRequest,
    response: LabelsGroup,
    summary: 'Replace the labels of a group.',
  }),
  delete_labels_group: operation({
    ...change,
    name: 'delete_labels_group',
    method: 'DELETE',
    path: `${labels}/{labelsGroupId}`,
    summary: 'Delete a labels group that no service has.',
  }),
  list_services_of_labels_group: usesOf(
    'list_services_of_labels_group',
    `${labels}/{labelsGroupId}/associatedItems`,
    'a labels group',
  ),
  get_annotations_group: operation({
    ...read,
    name: 'get_annotations_group',
    path: `${annotations}/{annotationsGroupId}`,
    response: AnnotationsGroup,
    summary: 'Read an annotations group.',
  }),
  create_annotations_group: operation({
    ...create,
    name: 'create_annotations_group',
    path: annotations,
    body: AnnotationsGroupRequest,
    response: AnnotationsGroup,
    creates: { kind: 'annotations_group', in: 'organization' },
    summary: 'Create an annotations group.',
  }),
  update_annotations_group: operation({
    ...change,
    name: 'update_annotations_group',
    method: 'PUT',
    path: `${annotations}/{annotationsGroupId}`,
    body: AnnotationsGroupRequest,
    response: AnnotationsGroup,
    summary: 'Replace the annotations of a group.',
  }),
  delete_annotations_group: operation({
    ...change,
    name: 'delete_annotations_group',
    method: 'DELETE',
    path: `${annotations}/{annotationsGroupId}`,
    summary: 'Delete an annotations group that no service has.',
  }),
  list_services_of_annotations_group: usesOf(
    'list_services_of_annotations_group',
    `${annotations}/{annotationsGroupId}/associatedItems`,
    'an annotations group',
  ),
} as const;
