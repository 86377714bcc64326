import { operations } from '../../src/contract/index.ts';
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
import { namesOf } from '../shared/listed-names.ts';

const receiverReads = readUses(
  'the plan shows receivers by their ids',
  operations.get_organization,
  operations.list_alert_receivers,
);

const idsIn = (rule: JsonRecord | undefined): readonly string[] | undefined => {
  const ids = rule?.['alert_receiver_ids'];
  return Array.isArray(ids) ? ids.map(String) : undefined;
};

/** Receivers as text, each with its name and type, as far as they are listed. */
const receivers = (ids: readonly string[], reader: Pick<ToolContext, 'attempt'>): Promise<string> =>
  namesOf(ids, operations.list_alert_receivers, reader, (row, name) => {
    const type = textOf(row, 'type');
    return type === undefined ? name : `${name} (${show(type)})`;
  });

const nobody = 'It has no receiver then: nobody is told when it fires.';

/** Who a new alert rule tells. */
export const toldByRule: Preview = reading(receiverReads, async (rule, { reader }) => {
  const ids = idsIn(rule) ?? [];
  return ids.length === 0 ? [nobody] : [`Tells: ${await receivers(ids, reader)}.`];
});

/** Which receivers a change of an alert rule adds and removes; none if it leaves them. */
export const changedReceivers: Preview = reading(
  [...receiverReads, ...readUses('the plan does not show which receivers it loses', operations.get_alert_rule)],
  async (wanted, { reader }): Promise<readonly PlanLine[]> => {
    const after = idsIn(wanted);
    if (after === undefined) return [];
    const before = idsIn(
      await reader.attempt(operations.get_alert_rule, { alert_rule_id: String(wanted['alert_rule_id']) }),
    );
    if (before === undefined)
      return [notKnown('which receivers it loses'), `Tells: ${await receivers(after, reader)}.`];
    const added = after.filter((id) => !before.includes(id));
    const removed = before.filter((id) => !after.includes(id));
    return [
      ...(added.length > 0 ? [`Receivers added: ${await receivers(added, reader)}.`] : []),
      ...(removed.length > 0
        ? [
            `Receivers removed: ${await receivers(removed, reader)}. They are told nothing more of it, nor that it ends.`,
          ]
        : []),
      ...(removed.length > 0 && after.length === 0 ? [nobody] : []),
    ];
  },
);
