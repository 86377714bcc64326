import { pinText } from '../../guard/pin.ts';
import type { Policy } from '../../guard/policy.ts';
import { isReadOnly } from '../../guard/policy.ts';
import { conditionText } from '../../guard/policy/match.ts';
import type { Rules } from '../../guard/policy/rules.ts';

const list = (head: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [head, ...lines.map((line) => `- ${line}`)]);

const rulesText = ({ reach, allow, deny, freezes, limit, unattended = [], operatorOnly = [], valueFromEnv = [] }: Rules): string[] => [
  ...(reach ? [`Only tools that need no more than the permission "${reach.level}" (${reach.setBy}).`] : []),
  ...(allow ? list(`Allowed is only what one of these holds for (${allow.setBy}):`, allow.rules.map(conditionText)) : []),
  ...list('Denied, even where it is allowed:', deny.map(({ conditions, setBy }) => `${conditionText(conditions)} (${setBy})`)),
  ...list('No changes while a window is open:', freezes.map(({ conditions, setBy }) => `${conditionText(conditions) || 'everything'} (${setBy})`)),
  ...(limit ? [`At most ${limit.most} disruptive or graver calls in any 60 minutes (${limit.setBy}).`] : []),
  ...(unattended.length > 0 ? [`Where the client can't ask its user, the caller may confirm calls that are ${unattended.join(' or ')}.`] : []),
  ...(operatorOnly.length > 0 ? [`Calls that are ${operatorOnly.join(' or ')} are agreed to by the operator alone, in a terminal or on the page; the client's user is not asked.`] : []),
  ...(valueFromEnv.length > 0 ? [`Values may be taken unseen from these variables of this server: ${valueFromEnv.join(', ')}.`] : []),
];

/** What the operator allows, in words. */
export function policyText(policy: Policy): string {
  const { rules = [] } = policy;
  const said = rules.flatMap(rulesText);
  return [
    '# Policy',
    isReadOnly(policy) ? 'This server is read-only: nothing can be changed through it.' : 'This server may change things.',
    ...(policy.pin ? [pinText(policy.pin)] : []),
    ...said,
    ...(said.length === 0 && !isReadOnly(policy) ? ['No rules are set beside the usual: calls that are disruptive, destructive or sensitive need agreement, and so does every change of PRODUCTION.'] : []),
  ].join('\n');
}
