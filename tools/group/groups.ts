import * as z from 'zod';
import { operations, type AnyOperation } from '../../src/contract/index.ts';
import {
  defineTool,
  partialUpdate,
  record,
  show,
  table,
  type JsonRecord,
  type Tool,
} from '../../src/server/tool/index.ts';
import { deletionOf, usedBy } from '../registry/uses.ts';
import { joined } from '../shared/plan-parts.ts';

const toolset = 'administration';

/** What differs between groups of labels and of annotations. */
interface GroupKind {
  readonly pairs: 'labels' | 'annotations';
  readonly operations: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete' | 'uses', AnyOperation>>;
  readonly descriptions: Readonly<Record<'list' | 'create' | 'update', string>>;
  readonly columns: readonly string[];
  readonly created: Pick<Parameters<typeof defineTool>[1], 'fields' | 'input'>;
  readonly hidden?: readonly string[];
}

/** The tools of one kind of group. */
function groupTools({
  pairs,
  operations: of,
  descriptions,
  columns,
  created,
  hidden,
}: GroupKind): Record<'list' | 'create' | 'update' | 'delete', Tool> {
  const reads = { get: of.get, uses: of.uses };
  const groupText = (group: JsonRecord): string => {
    const rows = (Array.isArray(group[pairs]) ? group[pairs] : []) as readonly JsonRecord[];
    const keys = rows.map(({ key }) => show(key)).join(', ');
    return `The ${pairs} group ${show(group['name'])}${keys === '' ? ', which is empty' : ` with ${keys}`}.`;
  };
  const update = partialUpdate(of.update);
  return {
    list: defineTool(of.list, {
      toolset,
      title: `All ${pairs} groups`,
      description: descriptions.list,
      render: table(`${pairs} group`, columns),
    }),
    create: defineTool(of.create, {
      toolset,
      title: `New ${pairs} for services`,
      description: descriptions.create,
      ...created,
      folded: [`${pairs}[]`],
      plan: () => [`No service has it until its ${pairs}_groups names it.`],
      render: record({ first: ['name', 'id'] }),
    }),
    update: defineTool(of.update, {
      toolset,
      title: `Change ${pairs} of services`,
      description: descriptions.update,
      ...update,
      ...(hidden && { hidden }),
      folded: [`${pairs}[]`],
      plan: () => ['Services that have it get the change with their next deployment.'],
      preview: joined(update.preview, usedBy(reads)),
    }),
    delete: defineTool(of.delete, {
      toolset,
      title: `Remove ${pairs === 'labels' ? 'a labels' : 'an annotations'} group`,
      description: `Delete ${pairs === 'labels' ? 'a labels' : 'an annotations'} group that no service has; dry_run: true tells which do.`,
      preview: deletionOf(reads, groupText),
      render: record(),
    }),
  };
}

const labels = groupTools({
  pairs: 'labels',
  operations: {
    list: operations.list_labels_groups,
    get: operations.get_labels_group,
    create: operations.create_labels_group,
    update: operations.update_labels_group,
    delete: operations.delete_labels_group,
    uses: operations.list_services_of_labels_group,
  },
  descriptions: {
    list: 'List labels (tags) of services, by labels group.',
    create: 'Create a group of labels (tags). Services get it by labels_groups [{id}] of their update tool.',
    update: 'Change labels (tags) of a group, item by item by key, or its name.',
  },
  columns: ['name', 'labels', 'id'],
  created: { fields: { name: 'Unique.', labels: '{key, value, propagate_to_cloud_provider}.' } },
});

const annotations = groupTools({
  pairs: 'annotations',
  operations: {
    list: operations.list_annotations_groups,
    get: operations.get_annotations_group,
    create: operations.create_annotations_group,
    update: operations.update_annotations_group,
    delete: operations.delete_annotations_group,
    uses: operations.list_services_of_annotations_group,
  },
  descriptions: {
    list: 'List annotations by group, objects (pods …) of a cluster that have them.',
    create:
      'Create a group of annotations for services, pods. Services get it by annotations_groups [{id}] of their update tool.',
    update: 'Change annotations of a group, item by item by key, or its name or scopes.',
  },
  columns: ['name', 'annotations', 'scopes', 'id'],
  created: {
    fields: { name: 'Unique.', annotations: '{key, value}.', scopes: 'PODS, DEPLOYMENTS, SERVICES, INGRESS, JOBS …' },
    // The words of the contract are checked all the same.
    input: { scopes: z.array(z.string()) },
  },
  hidden: ['scopes'],
});

export const {
  list: listLabelsGroups,
  create: createLabelsGroup,
  update: updateLabelsGroup,
  delete: deleteLabelsGroup,
} = labels;
export const {
  list: listAnnotationsGroups,
  create: createAnnotationsGroup,
  update: updateAnnotationsGroup,
  delete: deleteAnnotationsGroup,
} = annotations;
