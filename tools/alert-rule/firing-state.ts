import { isFiring, operations, whyUnwatched } from '../../src/contract/index.ts';
import {
  notKnown,
  reading,
  readUses,
  show,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** The read for the state of the alert rule that a call changes. */
export const ruleReads = readUses('the plan does not show the alert rule as it is now', operations.get_alert_rule);

/** The alert rule that a call changes, as it is now; undefined if it can't be read. */
export const presentRule = (
  { alert_rule_id: id }: JsonRecord,
  { attempt }: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> => attempt(operations.get_alert_rule, { alert_rule_id: String(id) });

/** The state in which a rule fires, and since when, in parentheses. */
function firingSince(rule: JsonRecord): string {
  const since = textOf(rule, 'starts_at');
  return `(${show(rule['state'])}${since === undefined ? '' : `, since ${since}`})`;
}

const silenceLines = (rule: JsonRecord): readonly string[] => {
  const until = textOf(rule, 'silenced_until');
  return until === undefined ? [] : [`It is silenced until ${until}.`];
};

/** How a rule is now: whether it fires, and whether it is silenced. */
export function stateLines(rule: JsonRecord | undefined): readonly string[] {
  if (!rule) return [notKnown('whether it fires')];
  const why = whyUnwatched(rule);
  return [
    isFiring(rule['state'])
      ? `It fires now ${firingSince(rule)}.`
      : why === undefined
        ? `It does not fire (${show(rule['state'])}).`
        : `It watches nothing (${why}).`,
    ...silenceLines(rule),
  ];
}

/** What becomes of a rule that fires, by how it will be: its condition counts anew. */
const startedOver = ({ enabled, for_duration: duration }: JsonRecord): readonly string[] =>
  enabled === false
    ? ['The change turns it off. What it fires for goes on, and nobody is told of that, nor when it ends.']
    : [
        `The change starts it over: it is not shown as firing, and nobody is told of it, until its condition has held for ${show(duration)} again.`,
        'Whoever was told of it is told again then. If it does not fire again, nobody is told that it ended.',
      ];

/** What a change does to an alert rule that fires; nothing for one that doesn't. */
export const changedWhileFiring: Preview = reading(
  ruleReads,
  async (wanted, { reader }): Promise<readonly PlanLine[]> => {
    const rule = await presentRule(wanted, reader);
    if (!rule) return [notKnown('whether it fires')];
    if (!isFiring(rule['state'])) return [];
    const since = firingSince(rule);
    const silence = silenceLines(rule);
    return [
      // Its state may advance while a person reads: they agree to the change of a rule that fires.
      { text: `It fires now ${since}.`, agreed: 'It fires now.', after: `It fired when it was changed ${since}.` },
      ...silence,
      ...(rule['state'] === 'SUPPRESSED' && silence.length === 0
        ? ['It is silenced, until when is not known: the change may end that.']
        : []),
      ...startedOver(wanted),
    ];
  },
);
