import { operations } from '../../src/contract/index.ts';
import { defineTool, isRecord, omit, type JsonRecord } from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';

/** Converts a helm service to a request, in which the members of `source` have other names. */
function asRequest({ source, ...helm }: JsonRecord): JsonRecord {
  const { git, repository } = (isRecord(source) ? source : {}) as { git?: JsonRecord; repository?: JsonRecord };
  if (isRecord(git)) return { ...helm, source: { git_repository: git['git_repository'] } };
  if (!isRecord(repository)) return { ...helm, source };
  const { repository: from } = repository;
  return { ...helm, source: { helm_repository: { ...omit(repository, ['repository']), repository: isRecord(from) ? (from['id'] ?? null) : null } } };
}

export const updateHelm = defineTool(
  operations.update_helm,
  serviceUpdate(operations.update_helm, {
    description: 'Change or upgrade a Helm release: use a newer chart version, other values, ports, time limit.',
    exclusive: ['source'],
    asRequest,
    fields: {
      source: '{helm_repository: {repository: id, chart_name, chart_version}} or {git_repository: {url, branch, root_path}}.',
      values_override: 'Values.',
      'values_override.set': 'All the [name, value] pairs.',
      'values_override.file': '{raw: {values: [{name, content: YAML}]}} or {git: {git_repository, paths}}.',
      ports: '{name, internal_port, external_port, namespace, protocol, service_name}.',
    },
    folded: ['values_override.file', 'source'],
    hidden: ['values_override.set_string', 'values_override.set_json', 'allow_cluster_wide_resources', 'description'],
  }),
);
