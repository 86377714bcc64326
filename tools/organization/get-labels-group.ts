import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getLabelsGroup = defineTool(operations.get_labels_group, {
  toolset: 'organization',
  title: 'Labels of services',
  description:
    'The labels (tags) that services carry: keys and values of a labels group, and whether cloud resources get them, too.',
  fields: { labels_group_id: 'Services show theirs in labels_groups.' },
  render: record(),
});
