import * as z from 'zod';
import {
  DeploymentWindowRequest,
  occurrenceOf,
  operations,
  reference,
  windowFault,
  zonedText,
  type WindowTimes,
} from '../../src/contract/index.ts';
import {
  composeTool,
  defineTool,
  notAgreedTo,
  notKnown,
  omit,
  organizationOf,
  pruneRecord,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  table,
  textOf,
  toldOnce,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { exactlyOne } from '../shared/any-service.ts';
import { refusePast } from '../shared/future-times.ts';

const columns = [
  'name',
  'in_force',
  'target_type',
  'target_name',
  'production_only',
  'begins',
  'ends',
  'time_zone',
  'from',
  'until',
  'owner_name',
  'reason',
  'id',
];

export const listDeploymentWindows = defineTool(operations.list_deployment_windows, {
  toolset: 'administration',
  title: 'Deployment windows, freezes',
  description: 'Freezes (change freeze): when deployments are refused; those of this server alone: infra://policy.',
  render: table('deployment window', columns),
});

const about = {
  environment_id: reference('environment').optional(),
  project_id: reference('project').optional(),
  cluster_id: reference('cluster').optional(),
};
const aboutMembers = Object.keys(about);

/** What a call wants a window to be about, as members of the request. */
function targetGiven(context: ToolContext): JsonRecord {
  const found = aboutMembers.map((member) => context.resolved[member]).find((one) => one !== undefined);
  return found
    ? { target_type: found.kind.toUpperCase(), target_id: found.id }
    : context.refuse('what the window is about is not given', 'Give an environment, project or cluster.');
}

const windowReads = readUses(
  'whether the platform has deployment windows is not known',
  operations.get_organization,
  operations.list_deployment_windows,
);

/** The organization and its windows. Refuses where the platform has none, before anybody is asked. */
async function windowsOf(context: ToolContext): Promise<{ readonly id: string; readonly rows: readonly JsonRecord[] }> {
  const id = await organizationOf(context);
  const list =
    id === undefined ? undefined : await context.attempt(operations.list_deployment_windows, { organization_id: id });
  return id === undefined || list === undefined
    ? context.refuse(
        'this platform has no deployment windows, or the token may not read them, so it would refuse no deployment',
        'Tell the user: whoever runs this server can put a freeze into its policy file instead (cron, time_zone, duration). Then this server refuses changes at those times, and the platform goes on accepting them from elsewhere.',
      )
    : { id, rows: rowsIn(list) };
}

/** When a window holds next, and what that means. */
function windowLines(window: JsonRecord, now: number): readonly PlanLine[] {
  const times = z.object(pickTimes).safeParse(window).data;
  const next = times && occurrenceOf(times, now);
  if (!times || !next) return [];
  const each = /^\d/.test(times.begins) ? '' : ', and the same each week';
  const [from, to] = [next.begins, next.ends].map((at) => zonedText(at, times.time_zone));
  return [notAgreedTo(`${next.begins <= now ? 'In force since' : 'Next from'} ${from} to ${to}${each}.`)];
}

const { begins, ends, time_zone, name, reason, production_only } = DeploymentWindowRequest.shape;
const pickTimes = { begins, ends, time_zone } satisfies Record<keyof WindowTimes, z.ZodType>;

/** Refuses times that are no window, or one that is over, before anybody is asked. */
function refuseUnusable(args: JsonRecord, context: ToolContext): void {
  const times = z.object(pickTimes).safeParse(args).data;
  if (!times) return;
  const fault = windowFault(times);
  if (fault !== undefined) context.refuse(`"ends" ${fault}`, 'Nothing was changed, and nobody was asked. Correct it.');
  refusePast('ends', args, context, occurrenceOf(times, context.now()) === undefined);
}

const created: Preview = (window, { now = Date.now() }) =>
  Promise.resolve([
    ...windowLines(window, now),
    `The platform refuses to deploy, restart, stop or delete anything there then${window['production_only'] === true ? ', in PRODUCTION' : ''}, whoever asks. Configuration can be changed, and scheduled runs of jobs go on. Timetables of environments wait until it ends.`,
    'An emergency needs an administrator who deletes it.',
  ]);

export const createDeploymentWindow = composeTool({
  name: 'create_deployment_window',
  toolset: 'administration',
  title: 'Freeze deployments over holidays or each Friday evening',
  description: 'Freeze: no releases from begins to ends, weekly or once.',
  input: { ...about, name, begins, ends, time_zone, reason, production_only: production_only.unwrap().optional() },
  fields: { ends: 'As begins.', time_zone: 'Such as Europe/Paris.' },
  hidden: ['production_only', 'reason'],
  ...exactlyOne(...aboutMembers),
  operations: [operations.create_deployment_window],
  reads: windowReads,
  expand: async (args, context) => {
    refuseUnusable(args, context);
    return [
      {
        operation: operations.create_deployment_window,
        input: {
          organization_id: (await windowsOf(context)).id,
          ...omit(pruneRecord(args), aboutMembers),
          ...targetGiven(context),
        },
      },
    ];
  },
  preview: created,
  output: operations.create_deployment_window.response,
  answer: (_, __, [answer = {}]) => Promise.resolve(answer),
  render: record({ first: columns }),
});

const removed: Preview = reading(
  windowReads,
  async ({ organization_id, deployment_window_id: id }, { reader, now = Date.now() }) => {
    const list = await reader.attempt(operations.list_deployment_windows, { organization_id: String(organization_id) });
    const window = rowsIn(list).find((row) => row['id'] === id);
    if (!window) return [notKnown('when it holds')];
    return [
      `The deployment window ${show(window['name'])} of ${show(window['owner_name'])}, about ${show(window['target_name'])}${window['reason'] === undefined ? '' : ` (${show(window['reason'])})`}.`,
      ...windowLines(window, now),
      toldOnce('Deployments are accepted there from now on. Only a new window brings it back.'),
    ];
  },
);

export const deleteDeploymentWindow = composeTool({
  name: 'delete_deployment_window',
  toolset: 'administration',
  title: 'End a freeze of deployments',
  description: 'End, lift a freeze: delete a deployment window, allow deployments again.',
  input: { deployment_window: reference('deployment_window') },
  operations: [operations.delete_deployment_window],
  reads: windowReads,
  expand: async ({ deployment_window: id }, context) => {
    const { id: organization_id, rows } = await windowsOf(context);
    const window = rows.find((row) => row['id'] === id);
    const [type, target] = [textOf(window, 'target_type'), textOf(window, 'target_id')];
    if (type === undefined || target === undefined)
      return context.refuse(
        `no deployment window with the id ${id} can be read here`,
        'List the windows, and name one of them.',
      );
    return [
      {
        operation: operations.delete_deployment_window,
        input: { organization_id, deployment_window_id: id, target_type: type, target_id: target },
      },
    ];
  },
  preview: removed,
  output: z.object({ deleted: z.string() }).partial(),
  answer: (_, { resolved }) => Promise.resolve(pruneRecord({ deleted: resolved['deployment_window']?.name })),
  render: record({ first: ['deleted'] }),
});
