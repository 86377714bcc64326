import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { findDrift, type ComparedEnvironment, type ComparedVariable } from '../../src/analysis/index.ts';
import {
  composeTool,
  containsMark,
  isRecord,
  recordsIn,
  naming,
  pruneRecord,
  readUses,
  tableText,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { domainOperations } from '../shared/custom-domains.ts';
import { fewAtOnce } from '../shared/few-at-once.ts';
import { unlessGone } from '../shared/if-possible.ts';
import { allSeenBy, isOwnerKind, scopeOf, variableLists, type SeenVariables } from '../shared/owned-variables.ts';
import { withDomains } from './compared-domains.ts';

const rows = (list: { results?: unknown } | undefined): readonly JsonRecord[] | undefined =>
  Array.isArray(list?.results) ? list.results.filter(isRecord) : undefined;

/** A variable or secret to compare. It has a value only if the whole value may be shown. */
const compared = (row: JsonRecord, isSecret: boolean, service?: string): ComparedVariable => ({
  key: String(row['key']),
  scope: String(row['scope']),
  ...(service !== undefined && { service }),
  ...(isSecret && { isSecret }),
  value: !isSecret && typeof row['value'] === 'string' && !containsMark(row['value']) ? row['value'] : undefined,
});

/**
 * The visible variables and secrets of an owner, or only the own ones of a service; the secrets are undefined if they
 * can't be read.
 */
function comparedIn({ variables, secrets }: SeenVariables, own?: { readonly scope: string; readonly name: string }) {
  const isMeant = ({ scope }: JsonRecord): boolean => own === undefined || scope === own.scope;
  return {
    name: own?.name,
    isRead: variables !== undefined,
    variables: (variables ?? []).filter(isMeant).map((row) => compared(row, false, own?.name)),
    secrets: secrets?.filter(isMeant).map((row) => compared(row, true, own?.name)),
  };
}

const unreadVariables: SeenVariables = { variables: undefined, secrets: undefined };

/** A service's own variables and secrets. Platforms list only those of some kinds. */
async function ofService(context: ToolContext, { id, name, service_type: type }: JsonRecord): Promise<Part> {
  const kind = String(type).toLowerCase();
  if (typeof id !== 'string' || typeof name !== 'string' || !isOwnerKind(kind))
    return { name: undefined, isRead: true, variables: [], secrets: [] };
  return comparedIn((await unlessGone(allSeenBy(kind, id, context))) ?? unreadVariables, {
    scope: scopeOf(kind),
    name,
  });
}

type Part = ReturnType<typeof comparedIn>;

/** An environment, before the variables of its services are read. */
interface ListedEnvironment {
  readonly name: string;
  readonly project: string | undefined;
  readonly services: readonly JsonRecord[];
  readonly shared: Part;
}

async function listedOf(context: ToolContext, member: string, environment_id: string): Promise<ListedEnvironment> {
  const [list, seen] = await Promise.all([
    context.attempt(operations.list_services, { environment_id }),
    allSeenBy('environment', environment_id, context),
  ]);
  const services =
    rows(list) ??
    context.refuseWithout(
      [operations.list_services],
      'this platform does not list the services of an environment',
      naming`Compare them one by one with ${'get_service'}.`,
    );
  const { path = environment_id, project } = context.resolved[member] ?? {};
  return { name: path, project: project?.id, services, shared: comparedIn(seen) };
}

/** An environment with its services' own variables and secrets. */
function withOwn(
  { name, project, services, shared }: ListedEnvironment,
  own: readonly Part[],
  context: ToolContext,
): ComparedEnvironment {
  const parts = [shared, ...own];
  const unread = own.flatMap((part) => (part.isRead || part.name === undefined ? [] : [part.name]));
  const notCompared = [
    ...(shared.isRead ? [] : ['those that all its services share']),
    ...unread.map((service) => `those of ${service}`),
  ];
  if (notCompared.length > 0)
    context.leftOut(
      `Not compared, because they could not be read: of the variables of ${name} ${notCompared.join(', ')}.`,
    );
  return {
    name,
    project,
    services,
    unread: { shared: !shared.isRead, services: unread },
    variables: parts.flatMap(({ variables, secrets }) => [...variables, ...(secrets ?? [])]),
    hasSecrets: parts.every(({ secrets }) => secrets !== undefined),
  };
}

/** What is never compared. */
const notCompared: readonly string[] = [
  'Of custom domains, only whether there are any, certificates and CDN are compared, not their names.',
  'Not compared: variables that the platform provides (those of a database have its id in their keys, so each environment has others), clusters and modes of the environments, what runs, and the data of databases.',
];

export const compareEnvironments = composeTool({
  name: 'compare_environments',
  toolset: 'environments',
  title: 'Diff two environments: differences, drift',
  description:
    'Compare two environments (staging, production), why something works in one only: different services, ' +
    'versions, same configuration or not, env vars, missing secrets.',
  input: { first: reference('environment'), second: reference('environment') },
  operations: [operations.list_services, ...variableLists('variables')],
  reads: [
    ...readUses('variables are not all compared', ...variableLists('variables')),
    ...readUses('it is not said which secrets one side lacks', ...variableLists('secrets')),
    ...readUses('custom domains are not all compared', ...Object.values(domainOperations.list)),
  ],
  output: z.object({
    first: z.string(),
    second: z.string(),
    pairs: z.int(),
    same: z.int(),
    results: z.array(
      z.object({ kind: z.string(), service: z.string(), what: z.string(), first: z.string(), second: z.string() }),
    ),
  }),
  answer: async ({ first, second }, context) => {
    const listed = await Promise.all([listedOf(context, 'first', first), listedOf(context, 'second', second)]);
    const [own, [services, otherServices]] = await Promise.all([
      fewAtOnce(
        listed.flatMap((each) => each.services),
        (service) => ofService(context, service),
      ),
      withDomains(context, [listed[0].services, listed[1].services]),
    ]);
    const ofFirst = listed[0].services.length;
    const [one, other] = [
      withOwn(listed[0], own.slice(0, ofFirst), context),
      withOwn(listed[1], own.slice(ofFirst), context),
    ];
    const { differences, pairs, same, unknown, secrets } = findDrift(
      { ...one, services },
      { ...other, services: otherServices },
    );
    return pruneRecord({
      first: one.name,
      second: other.name,
      pairs,
      same,
      results: differences.map((row) => ({ ...row })),
      not_comparable: unknown,
      secrets_not_compared: secrets > 0 ? secrets : undefined,
    });
  },
  render: {
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: ({ first, second, pairs, same, results, not_comparable, secrets_not_compared: secrets }) => {
      const differences = recordsIn(results);
      const alike = Array.isArray(not_comparable) || secrets !== undefined ? 'alike as far as compared' : 'alike';
      const head = `${String(first)} and ${String(second)} have ${String(pairs)} services in common, ${String(same)} of them ${alike}; ${differences.length} differences.`;
      return [
        head,
        ...(differences.length > 0
          ? [tableText(recordsIn(results), ['kind', 'service', 'what', 'first', 'second'])]
          : []),
        ...(Array.isArray(not_comparable)
          ? [`Set in both, and not compared, because what they hold is hidden: ${not_comparable.join(', ')}`]
          : []),
        ...(typeof secrets === 'number'
          ? [
              `Set in both, and not compared, because secrets are never shown: ${secrets} ${secrets === 1 ? 'secret' : 'secrets'}. Their values may differ.`,
            ]
          : []),
        ...notCompared,
      ].join('\n');
    },
    keep: 'first',
  },
});
