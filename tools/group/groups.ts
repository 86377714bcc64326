import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import { defineTool, partialUpdate, record, show, table, type JsonRecord } from '../../src/server/tool/index.ts';
import { deletionOf, usedBy } from '../registry/uses.ts';
import { joined } from '../shared/plan-parts.ts';

const toolset = 'administration';

const ofLabels = { get: operations.get_labels_group, uses: operations.list_services_of_labels_group };
const ofAnnotations = { get: operations.get_annotations_group, uses: operations.list_services_of_annotations_group };

const later = 'Services that have it get the change with their next deployment.';

const groupText = (kind: 'labels' | 'annotations') => (group: JsonRecord) => {
  const pairs = (Array.isArray(group[kind]) ? group[kind] : []) as readonly JsonRecord[];
  const keys = pairs.map(({ key }) => show(key)).join(', ');
  return `The ${kind} group ${show(group['name'])}${keys === '' ? ', which is empty' : ` with ${keys}`}.`;
};

export const listLabelsGroups = defineTool(operations.list_labels_groups, {
  toolset,
  title: 'All labels groups',
  description: 'List the labels groups, with their labels (tags).',
  render: table('labels group', ['name', 'labels', 'id']),
});

export const createLabelsGroup = defineTool(operations.create_labels_group, {
  toolset,
  title: 'New labels for services',
  description: 'Create a group of labels (tags). Services get it by labels_groups.',
  fields: { name: 'Unique.', labels: '{key, value, propagate_to_cloud_provider}.' },
  folded: ['labels[]'],
  plan: () => ['No service has it until its labels_groups names it.'],
  render: record({ first: ['name', 'id'] }),
});

const labelsUpdate = partialUpdate(operations.update_labels_group);

export const updateLabelsGroup = defineTool(operations.update_labels_group, {
  toolset,
  title: 'Change labels of services',
  description: 'Change the labels (tags) of a group, item by item by key, or its name.',
  ...labelsUpdate,
  folded: ['labels[]'],
  plan: () => [later],
  preview: joined(labelsUpdate.preview, usedBy(ofLabels)),
});

export const deleteLabelsGroup = defineTool(operations.delete_labels_group, {
  toolset,
  title: 'Remove a labels group',
  description: 'Delete a labels group that no service has; dry_run: true lists those that do.',
  preview: deletionOf(ofLabels, groupText('labels')),
  render: record(),
});

export const listAnnotationsGroups = defineTool(operations.list_annotations_groups, {
  toolset,
  title: 'All annotations groups',
  description: 'List the annotations groups: annotations, and the objects of the cluster that have them.',
  render: table('annotations group', ['name', 'annotations', 'scopes', 'id']),
});

export const createAnnotationsGroup = defineTool(operations.create_annotations_group, {
  toolset,
  title: 'New annotations for services',
  description: 'Create a group of annotations. Services get it by annotations_groups.',
  fields: { name: 'Unique.', annotations: '{key, value}.', scopes: 'PODS, DEPLOYMENTS, SERVICES, INGRESS, JOBS …' },
  // The words of the contract are checked all the same.
  input: { scopes: z.array(z.string()) },
  folded: ['annotations[]'],
  plan: () => ['No service has it until its annotations_groups names it.'],
  render: record({ first: ['name', 'id'] }),
});

const annotationsUpdate = partialUpdate(operations.update_annotations_group);

export const updateAnnotationsGroup = defineTool(operations.update_annotations_group, {
  toolset,
  title: 'Change annotations of services',
  description: 'Change the annotations of a group, item by item by key, or its name or scopes.',
  ...annotationsUpdate,
  hidden: ['scopes'],
  folded: ['annotations[]'],
  plan: () => [later],
  preview: joined(annotationsUpdate.preview, usedBy(ofAnnotations)),
});

export const deleteAnnotationsGroup = defineTool(operations.delete_annotations_group, {
  toolset,
  title: 'Remove an annotations group',
  description: 'Delete an annotations group that no service has; dry_run: true lists those that do.',
  preview: deletionOf(ofAnnotations, groupText('annotations')),
  render: record(),
});
