import { operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool, isRecord, omit, record, type JsonRecord } from '../../src/server/tool/index.ts';

/** Converts a helm service to a request, in which the members of `source` have other names. */
function asRequest({ source, ...helm }: JsonRecord): JsonRecord {
  const { git, repository } = (isRecord(source) ? source : {}) as { git?: JsonRecord; repository?: JsonRecord };
  if (isRecord(git)) return { ...helm, source: { git_repository: git['git_repository'] } };
  if (!isRecord(repository)) return { ...helm, source };
  const { repository: from } = repository;
  return { ...helm, source: { helm_repository: { ...omit(repository, ['repository']), repository: isRecord(from) ? (from['id'] ?? null) : null } } };
}

export const updateHelm = defineTool(operations.update_helm, {
  toolset: 'services',
  description:
    'Change a Helm release: chart version, values, arguments, ports, time limit. Give only what changes; the rest stays. null removes a member; a ' +
    'list replaces the whole list.',
  ...partialUpdate(operations.update_helm, { exclusive: ['source'], asRequest }),
  fields: {
    values_override: "What differs from the chart's own values.",
    'values_override.set': '[name, value] pairs.',
    'values_override.set_string': 'As set, kept as text.',
    'values_override.set_json': 'As set, JSON values.',
    'values_override.file.raw': 'Values files given here.',
    'values_override.file.git': 'Values files from git.',
    'values_override.file.git.git_repository': 'Form of that in source.',
    'source.helm_repository.repository': 'Repository id.',
    'ports[].service_name': 'Kubernetes service.',
  },
  folded: ['values_override.file.git.git_repository'],
  // The names in responses; requests accept them, too.
  hidden: ['source.git', 'source.repository'],
  render: record({ omitted: [] }),
  next: 'It takes effect with the next deployment.',
});
