import { isProduction, operations } from '../../src/contract/index.ts';
import {
  defineTool,
  deletion,
  notKnown,
  pick,
  reading,
  readUses,
  record,
  show,
  textOf,
  type JsonRecord,
  type NoOpCheck,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { refusePast } from '../shared/future-times.ts';
import { joined } from '../shared/plan-parts.ts';

const shown = ['name', 'mode', 'ends_at', 'end_reason', 'end_set_by', 'id'];

const reads = readUses('the plan does not show the present end', operations.get_environment);

const environmentOf = (
  { environment_id: id }: JsonRecord,
  reader: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> => reader.attempt(operations.get_environment, { environment_id: String(id) });

const reasonText = (environment: JsonRecord | undefined): string => {
  const reason = textOf(environment, 'end_reason');
  return reason === undefined ? '' : ` (${show(reason)})`;
};

const presentEnd: Preview = reading(reads, async (args, { reader }) => {
  const environment = await environmentOf(args, reader);
  const end = textOf(environment, 'ends_at');
  return [
    environment === undefined
      ? notKnown('whether it has an end')
      : end === undefined
        ? 'End until now: none.'
        : `End until now: ${end}${reasonText(environment)}.`,
  ];
});

const atTheEnd: Preview = ({ ends_at: end }) =>
  Promise.resolve([`At ${String(end)} the platform deletes it by itself, and asks nobody again. This is lost then:`]);

/** The input of the request: an end that is only moved keeps its reason, which the platform would otherwise drop. */
function withPresentReason(args: JsonRecord, environment: JsonRecord | undefined): JsonRecord {
  const reason = textOf(environment, 'ends_at') === undefined ? undefined : textOf(environment, 'end_reason');
  return args['reason'] === undefined && reason !== undefined ? { ...args, reason } : args;
}

/** Whether it ends then already, for the same reason. */
const endsThen: NoOpCheck = reading(reads, async (args, { reader }) => {
  const environment = await environmentOf(args, reader);
  const end = textOf(environment, 'ends_at');
  return end !== undefined &&
    Date.parse(end) === Date.parse(String(args['ends_at'])) &&
    textOf(environment, 'end_reason') === args['reason']
    ? { why: 'it ends then already', seen: [`Its end is ${end}.`] }
    : undefined;
});

export const setEnvironmentEnd = defineTool(operations.set_environment_end, {
  toolset: 'administration',
  title: 'Let a copy be gone tomorrow',
  description: 'Let an environment (clone, preview) expire, delete itself at its end. Again to extend it.',
  reads: readUses('whether it is PRODUCTION, which never ends by itself, is not known', operations.get_environment),
  expand: async (args, context) => {
    refusePast('ends_at', args, context);
    const environment = await environmentOf(args, context);
    return isProduction(environment?.['mode'])
      ? context.refuse(
          'this environment is PRODUCTION, which never ends by itself, and the platform refuses to give it an end',
          'Tell the user; nothing was changed.',
        )
      : [
          {
            operation: operations.set_environment_end,
            input: withPresentReason(args, environment),
            present: { reason: environment?.['end_reason'] },
            given: args,
          },
        ];
  },
  preview: joined(presentEnd, atTheEnd, deletion),
  noOpCheck: endsThen,
  render: record({ first: shown }),
});

export const unsetEnvironmentEnd = defineTool(operations.unset_environment_end, {
  toolset: 'administration',
  title: 'Keep an environment: cancel its expiry',
  description: 'Keep an environment (clone, preview): cancel its end (expiry).',
  expand: async (args, context) => {
    const environment = await environmentOf(args, context);
    return environment && textOf(environment, 'ends_at') === undefined
      ? []
      : [{ operation: operations.unset_environment_end, input: args }];
  },
  preview: presentEnd,
  answer: async (args, context, [changed]) => changed ?? pick((await environmentOf(args, context)) ?? {}, shown),
  render: record({ first: shown }),
});
