import { HelmRequest, operations } from '../../src/contract/index.ts';
import {
  chartOfRelease,
  defineTool,
  isRecord,
  naming,
  type JsonRecord,
  record,
  secretsSeen,
} from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';
import { joined, takenBackBy } from '../shared/plan-parts.ts';

export const createHelmRepository = defineTool(operations.create_helm_repository, {
  toolset: 'organization',
  title: 'Add a Helm chart repository',
  description: 'Create, add or register a private Helm chart repository (repo) or OCI registry, with credentials.',
  fields: {
    config:
      '{} for none, {username, password}, or for AWS {region, access_key_id, secret_access_key}, others ' +
      'vendor_access_key …',
  },
  folded: ['config'],
  plan: () => ['Stores these credentials on the platform.', takenBackBy('delete_helm_repository')],
  render: record({ first: ['name', 'id', 'kind', 'url'] }),
});

const sourceText =
  '{helm_repository: {repository, chart_name, chart_version}} or {git_repository: {url, branch, root_path}}.';

export const getHelm = defineTool(operations.get_helm, {
  toolset: 'services',
  title: 'Show values of a Helm chart',
  description: 'Configuration of a Helm release: chart, version, values set, overrides, arguments, ports.',
  render: record({ omitted: [] }),
});

/** A source from a response, converted to the names of requests. An unknown chart repository is left out. */
function sourceForRequest(shown: JsonRecord): JsonRecord {
  // Some platforms show the form that a source doesn't have as null.
  const { git, repository, ...source } = Object.fromEntries(
    Object.entries(shown).filter(([, value]) => value !== null),
  );
  // A source that is given twice is refused under its own names.
  if (isRecord(git) && repository === undefined && source['git_repository'] === undefined)
    return { ...source, git_repository: git['git_repository'] };
  if (!isRecord(repository) || git !== undefined || source['helm_repository'] !== undefined)
    return { ...source, ...(git !== undefined && { git }), ...(repository !== undefined && { repository }) };
  const { repository: from, ...chart } = repository;
  return {
    ...source,
    helm_repository: {
      ...chart,
      ...(from !== undefined && { repository: isRecord(from) ? (from['id'] ?? null) : from }),
    },
  };
}

/** Converts a helm service to a request, in which the members of `source` have other names. */
function asRequest({ source, ...helm }: JsonRecord): JsonRecord {
  if (!isRecord(source)) return { ...helm, source };
  const { helm_repository: chart, ...others } = sourceForRequest(source);
  return {
    ...helm,
    source: { ...others, ...(isRecord(chart) && { helm_repository: { repository: null, ...chart } }) },
  };
}

/** Arguments with the source converted to the names of requests: it may be given as it was shown. */
const withRequestNames = (args: JsonRecord): JsonRecord =>
  isRecord(args['source']) ? { ...args, source: sourceForRequest(args['source']) } : args;

const update = serviceUpdate(operations.update_helm, {
  title: 'Edit, bump or upgrade a Helm release: newer chart, values',
  description: 'Change a Helm release: install or use another or newer chart version, edit values, ports, timeout.',
  exclusive: ['source'],
  asRequest,
  fields: {
    source: sourceText,
    values_override: 'Values.',
    'values_override.set': 'All [name, value] pairs.',
    'values_override.file': '{raw: {values: [{name, content: YAML}]}} or {git: {git_repository, paths}}.',
    ports: '{name, internal_port, external_port, namespace, protocol, service_name}.',
  },
  folded: ['values_override.file', 'source'],
  hidden: ['values_override.set_string', 'values_override.set_json', 'allow_cluster_wide_resources', 'description'],
});

export const updateHelm = defineTool(operations.update_helm, {
  ...update,
  preview: joined(chartOfRelease, update.preview),
  expand: (args, context) => update.expand(withRequestNames(args), context),
  answer: (args, context, answers) => update.answer(withRequestNames(args), context, answers),
});

export const createHelm = defineTool(operations.create_helm, {
  toolset: 'administration',
  title: 'Install a Helm chart',
  description: 'Create a Helm release: install a chart; not deployed.',
  input: {
    auto_deploy: HelmRequest.shape.auto_deploy.optional(),
    arguments: HelmRequest.shape.arguments.optional(),
    values_override: HelmRequest.shape.values_override.optional(),
  },
  fields: {
    name: 'Unique in the environment.',
    source: sourceText,
    values_override: '{set: [[name, value]], file: {raw: {values: [{name, content}]}}}.',
  },
  folded: ['source', 'values_override'],
  hidden: [
    'auto_deploy',
    'arguments',
    'ports',
    'description',
    'timeout_sec',
    'auto_preview',
    'allow_cluster_wide_resources',
    'icon_uri',
  ],
  expand: async (args) => [
    {
      operation: operations.create_helm,
      input: { auto_deploy: false, arguments: [], values_override: {}, ...withRequestNames(args) },
    },
  ],
  preview: joined(chartOfRelease, secretsSeen),
  render: record({ first: ['name', 'id', 'source'] }),
  next: naming`Not deployed yet: ${'deploy_service'} installs the chart.`,
});
