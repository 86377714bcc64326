import { operations } from '../../../contract/index.ts';
import { record } from '../../tool/index.ts';
import { platformResource, type Resource } from './resource.ts';
import {
  conditionText,
  isReadOnly,
  scopeText,
  shownConditionText,
  unreadIn,
  type Policy,
  type Rules,
} from '../../guard/index.ts';

const bulletList = (head: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [head, ...lines.map((line) => `- ${line}`)];

const rulesText = (
  {
    permissionLimit,
    allow,
    deny,
    freezes,
    limit,
    unattended = { tiers: [], tools: [] },
    operatorOnly = [],
    twoPerson = [],
    valueFromEnv = [],
  }: Rules,
  unread: ReadonlySet<string>,
): string[] => [
  ...(permissionLimit
    ? [`Only tools that need no more than the permission "${permissionLimit.level}" (${permissionLimit.setBy}).`]
    : []),
  ...(allow
    ? bulletList(`Allowed is only what one of these holds for (${allow.setBy}):`, allow.rules.map(conditionText))
    : []),
  ...bulletList(
    'Denied, even where it is allowed:',
    deny.map(({ conditions, setBy }) => `${shownConditionText(conditions, unread)} (${setBy})`),
  ),
  ...bulletList(
    'No changes while a window is open:',
    freezes.map(({ conditions, setBy }) => `${shownConditionText(conditions, unread) || 'everything'} (${setBy})`),
  ),
  ...(limit ? [`At most ${limit.most} disruptive or graver calls in any 60 minutes (${limit.setBy}).`] : []),
  ...(unattended.tiers.length > 0
    ? [
        `Where the client can't ask its user, the caller may confirm calls that are ${unattended.tiers.join(' or ')}; those that are sensitive, or destructive for what may be PRODUCTION, only where their tool is named.`,
      ]
    : []),
  ...(unattended.tools.length > 0
    ? [`Where the client can't ask its user, the caller may confirm every call of ${unattended.tools.join(', ')}.`]
    : []),
  ...(operatorOnly.length > 0
    ? [
        `Calls that are ${operatorOnly.join(' or ')} are agreed to by the operator alone, in a terminal or on the page; the client's user is not asked.`,
      ]
    : []),
  ...bulletList(
    "Agreed to by operators other than the caller, not by the client's user:",
    twoPerson.map(
      ({ conditions, approvals, of, setBy }) =>
        `${shownConditionText(conditions, unread)}: ${approvals} of ${of ? of.join(', ') : 'those who may decide there'} (${setBy})`,
    ),
  ),
  ...(valueFromEnv.length > 0
    ? [`Values may be taken unseen from these variables of this server: ${valueFromEnv.join(', ')}.`]
    : []),
];

/** The policy as text. */
export function policyText(policy: Policy): string {
  const { rules = [] } = policy;
  const ruleLines = rules.flatMap((one) => rulesText(one, unreadIn(policy)));
  return [
    '# Policy',
    isReadOnly(policy)
      ? 'This server is read-only: nothing can be changed through it.'
      : 'This server may change things.',
    ...(policy.scope ? [scopeText(policy.scope)] : []),
    ...ruleLines,
    ...(ruleLines.length === 0 && !isReadOnly(policy)
      ? [
          'No rules are set beside the usual: calls that are disruptive, destructive or sensitive need agreement, and so does every change of PRODUCTION.',
        ]
      : []),
  ].join('\n');
}

/** The request budget, the policy, and the states of services. */
export const serverResources: readonly Resource[] = [
  platformResource({
    name: 'budget',
    uri: 'infra://budget',
    title: 'Request budget',
    description: 'How many requests to the platform are left, and until when.',
    toolset: 'organization',
    input: {},
    operations: [operations.get_organization],
    read: async (_, { read, budget, now }) => {
      // The budget arrives with responses: it is unknown before the first one.
      if (!budget()) await read(operations.get_organization, {});
      const current = budget();
      if (!current) return { budget: 'This platform does not tell how many requests are left.' };
      const { remaining, limit, resetAt, seenAt } = current;
      return {
        remaining,
        limit,
        reset_at: new Date(resetAt).toISOString(),
        seconds_until_reset: Math.max(0, Math.round((resetAt - now()) / 1000)),
        seen_at: new Date(seenAt).toISOString(),
      };
    },
    render: record({ first: ['remaining', 'limit'] }),
  }),
  {
    name: 'policy',
    uri: 'infra://policy',
    title: 'Policy',
    description: 'What the operator of this server allows: rules, limits, and what needs agreement.',
    text: async ({ policy }) => policyText(policy),
  },
  {
    name: 'states',
    uri: 'infra://states',
    title: 'States',
    description:
      'The states that services, clusters and alert rules go through, as a diagram and tables, measured on the embedded platform.',
    text: async ({ texts }) => texts.states(),
  },
];
