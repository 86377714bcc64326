import { operations, type AnyOperation } from '../../src/contract/index.ts';
import {
  changeWarnings,
  isRecord,
  omit,
  partialUpdate,
  secretsSeen,
  textAt,
  type CompositionDefinition,
  type JsonRecord,
  type NextCall,
  type PartialUpdate,
  type PlannedOperation,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { groupsGiven } from './group-names.ts';
import { joined } from './plan-parts.ts';

/** Members that contain exactly one kind of probe. */
const probes = ['healthchecks.readiness_probe.type', 'healthchecks.liveness_probe.type'];

const idOf = (pointer: unknown): unknown => (isRecord(pointer) ? pointer['id'] : undefined);

/** A record that names its registry by id, as requests do; responses may contain the registry only as a record. */
export const withRegistryId = ({ registry, ...rest }: JsonRecord): JsonRecord => ({
  ...rest,
  ...((rest['registry_id'] ?? undefined) === undefined && isRecord(registry) && { registry_id: idOf(registry) }),
});

/** A record with its probes, which some platforms require. */
export const withHealthchecks = (service: JsonRecord): JsonRecord => ({
  ...service,
  healthchecks: service['healthchecks'] ?? {},
});

/** Input descriptions of members that several kinds share, in every tool that creates or changes a service. */
const fields: Readonly<Record<string, string>> = {
  healthchecks: '{readiness_probe, liveness_probe: {type: {http: {port, path}}}}; or tcp, grpc, exec: {command}.',
  autoscaling: 'KEDA: {scalers: [{scaler_type, config_json}]}.',
  ports: '{internal_port, publicly_accessible, protocol: HTTP, GRPC, TCP, UDP}.',
  storage: '{mount_point, size in GB, type: FAST_SSD}.',
};

const folded = ['healthchecks', 'autoscaling', 'ports[]', 'storage[]'];

/** Accepted, but seldom changed. */
const hidden = [
  'gpu',
  'icon_uri',
  'auto_preview',
  'labels_groups',
  'annotations_groups',
  'build_mode',
  'git_repository.provider',
  'git_repository.git_token_id',
];

type Printing = Pick<CompositionDefinition<Record<never, never>>, 'fields' | 'folded' | 'hidden'>;

/**
 * Input descriptions in a tool that creates or changes a service. `own` has those of its kind, and takes precedence.
 */
export const serviceFields = ({
  fields: texts,
  folded: short = [],
  hidden: rest = [],
}: Printing): Required<Printing> => ({
  fields: { ...fields, ...texts },
  folded: [...folded, ...short],
  hidden: [...hidden, ...rest],
});

/** Ports that each say whether they are public, which some platforms require. */
export const portsOf = (ports: unknown): JsonRecord =>
  Array.isArray(ports)
    ? { ports: ports.map((port) => (isRecord(port) ? { publicly_accessible: false, ...port } : (port as unknown))) }
    : {};

/** The plan of a tool that creates a service: with everything that some platforms require. */
export const newService = (operation: AnyOperation) => ({
  expand: async (args: JsonRecord): Promise<readonly PlannedOperation[]> => [
    { operation, input: withHealthchecks({ ...args, ...portsOf(args['ports']) }) },
  ],
  preview: joined(groupsGiven, secretsSeen),
});

/** The resources of a service, each with the member that tells its maximum there. */
const resources = ['cpu', 'memory', 'gpu'].map((name) => ({ name, maximum: `maximum_${name}` }));

/** Why a service can't have that much; undefined if it can, or its maximum isn't told. */
const aboveMaximum: NonNullable<PartialUpdate['fixed']> = (found, changed) => {
  const above = resources.find(
    ({ name, maximum }) =>
      typeof found[maximum] === 'number' && typeof changed[name] === 'number' && changed[name] > found[maximum],
  );
  return (
    above && {
      what: `${above.name} ${String(changed[above.name])} is more than a service of its cluster may have (${above.maximum}: ${String(found[above.maximum])})`,
      next: 'Nothing was changed. Give less, or several instances.',
    }
  );
};

/** The specific parts of a tool that changes a service of one kind. */
export interface ServiceUpdate extends PartialUpdate, Printing {
  /** Its purpose, in everyday words. */
  readonly title: string;
  readonly description: string;
}

/**
 * The definition of a tool that changes a service of any kind: the arguments are merged into the current configuration,
 * and the answer shows the changes.
 */
export function serviceUpdate(
  operation: AnyOperation,
  { title, description, exclusive = [], kinds, asRequest = (found) => found, ...own }: ServiceUpdate,
) {
  const update = partialUpdate(operation, {
    exclusive: [...probes, ...exclusive],
    kinds,
    asRequest,
    fixed: aboveMaximum,
  });
  const hasGroups = Object.hasOwn(update.input, 'labels_groups');
  const identifier = `${operation.name.replace('update_', '')}_id`;
  return {
    toolset: 'services' as const,
    title,
    description,
    ...update,
    answer: async (args: JsonRecord, context: ToolContext, answers: readonly JsonRecord[]): Promise<JsonRecord> => {
      const answer = await update.answer(args, context, answers);
      const commit = textAt(context.replacements()[0]?.after ?? {}, 'git_repository.deployed_commit_id');
      // A commit that was deployed may be in no other repository or branch.
      return commit === undefined || answer['changes'] === undefined || args['git_repository'] !== undefined
        ? answer
        : { ...answer, git_repository: { deployed_commit_id: commit } };
    },
    // The proposed call tells the commit.
    render: { ...update.render, text: (view: JsonRecord) => update.render.text(omit(view, ['git_repository'])) },
    preview: joined(changeWarnings, update.preview, ...(hasGroups ? [groupsGiven] : [])),
    ...serviceFields({
      ...own,
      fields: {
        name: 'New name.',
        ports: `${fields['ports']} Merged; remove: true removes one.`,
        storage: `${fields['storage']} As ports.`,
        ...own.fields,
      },
    }),
    next: (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
      const isApplication = operation === operations.update_application;
      const commit = textAt(view, 'git_repository.deployed_commit_id');
      return [
        ...(isApplication && commit !== undefined
          ? [
              {
                tool: 'deploy_application',
                arguments: { application: args[identifier], commit },
                why: 'what differs takes effect, and the code stays as it is',
              },
            ]
          : []),
        {
          tool: 'deploy_service',
          arguments: { service: args[identifier] },
          why: `what differs takes effect with the next deployment${isApplication ? ', which takes the newest commit' : ''}`,
        },
      ];
    },
  };
}
