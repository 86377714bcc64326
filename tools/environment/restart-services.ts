import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  outOfDateIn,
  readUses,
  restarts,
  type JsonRecord,
  type Tool,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { startMoment } from '../shared/deployment-started.ts';

const started = startMoment('RESTART', 'environment_id');

const idsIn = (args: JsonRecord): string[] =>
  ['application_ids', 'database_ids', 'container_ids'].flatMap((name) =>
    Array.isArray(args[name]) ? args[name].map(String) : [],
  );

const renderText = (view: JsonRecord): string => {
  const { out_of_date: stale, ...others } = view;
  return [
    started.render.text(others),
    ...(Array.isArray(stale)
      ? [`Still out of date, because a restart brings no changes into effect: ${stale.join(', ')}`]
      : []),
  ].join('\n');
};

const restart = defineTool(operations.restart_services, {
  toolset: 'environments',
  title: 'Restart or reboot a service, app or database',
  description: 'Restart, reboot, bounce or kick a frozen, stuck service (app, API, worker, database, pod).',
  plan: () => ['The services are restarted and may be unavailable for a moment.'],
  preview: restarts,
  ...started,
  reads: [
    ...started.reads,
    ...readUses(
      'services for which a restart is not enough are not named',
      operations.list_services,
      operations.get_environment_status,
    ),
  ],
  answer: async (args: JsonRecord, context: ToolContext, answers: readonly JsonRecord[]) => {
    const read = () => outOfDateIn(String(args['environment_id']), idsIn(args), context);
    // After a wait, what its last look read is used again.
    const [answer, stale] =
      args['wait'] === true
        ? [await started.answer(args, context, answers), await read()]
        : await Promise.all([started.answer(args, context, answers), read()]);
    return { ...answer, ...(stale.length > 0 && { out_of_date: stale.map(({ name }) => name) }) };
  },
  render: { ...started.render, text: renderText },
});

export const restartServices: Tool = { ...restart, needsOneOf: ['application_ids', 'database_ids', 'container_ids'] };
