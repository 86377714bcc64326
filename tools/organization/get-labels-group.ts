import { operations } from '../../src/contract/index.ts';
import { defineTool, record } from '../../src/server/tool/index.ts';

export const getLabelsGroup = defineTool(operations.get_labels_group, {
  toolset: 'organization',
  description: 'The labels that services carry: the keys and values of a labels group and, where marked so, on cloud resources.',
  fields: { labels_group_id: 'Services show theirs in labels_groups.' },
  render: record(),
});
