import * as z from 'zod';
import { defaultPageSizes, operations, PageNumber, PageSize, reference } from '../../src/contract/index.ts';
import { readDeployment, type HistoryItem, type PastDeployment } from '../../src/analysis/index.ts';
import {
  anyOf,
  anyService,
  composeTool,
  isPlatformFailure,
  recordsIn,
  pruneRecord,
  table,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  aspectFailure,
  exactlyOne,
  readAspect,
  readsByKind,
  readsOf,
  serviceSubject,
  type Subject,
} from '../shared/any-service.ts';

const columns = ['state', 'action', 'at', 'seconds', 'steps', 'by', 'commit', 'message', 'image', 'services', 'id'];

const services = (item: HistoryItem): readonly string[] =>
  (item.services ?? []).map((service) => `${service.name ?? service.service_id ?? ''} ${service.status ?? ''}`.trim());

/** The steps that took time: `DEPLOYMENT_QUEUEING 32 s`. */
const stepTexts = ({ steps = [] }: PastDeployment): readonly string[] =>
  steps.flatMap(({ name, seconds }) => (seconds ? [`${name} ${seconds} s`] : []));

function row(item: HistoryItem): JsonRecord {
  const past = readDeployment(item);
  const { state, action, startedAt, seconds, triggeredBy, commit, commitMessage, image, id } = past;
  return pruneRecord({
    state,
    action,
    at: startedAt,
    seconds,
    steps: stepTexts(past),
    by: triggeredBy,
    commit,
    message: commitMessage,
    image,
    services: services(item),
    id,
  });
}

const noOlder =
  'This platform has no pages of deployments, and answered no more than the ones before this page: whether there are older ones is not known.';

/** Ends the call with the reason why there is no history to show. */
async function refuseUnread(context: ToolContext, subject: Subject, query: JsonRecord): Promise<never> {
  const failure = await aspectFailure(context, subject, 'deployments', query);
  if (failure !== undefined && !isPlatformFailure(failure)) throw failure as Error;
  return context.refuse(
    `the deployments of this ${subject.kind} can't be read here${failure ? `, because ${failure.reason}${failure.status === undefined ? '' : ` (HTTP ${failure.status})`}` : ''}`,
    'Its status tells of the latest one.',
  );
}

export const listDeployments = composeTool({
  name: 'list_deployments',
  toolset: 'services',
  title: 'Show each deployment, release: who deployed, when',
  description:
    'Deployment history (deploys, releases, runs) of a service or environment: shipped (ship) or deployed ' +
    'when, by who, commit, version, success; newest first.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    page: PageNumber.optional(),
    page_size: PageSize.default(defaultPageSizes.shownDeployments),
  },
  ...exactlyOne('service', 'environment'),
  operations: [...readsOf('deployments'), operations.list_environment_deployments],
  equivalentOperations: [...readsOf('deployments'), operations.list_environment_deployments],
  reads: anyOf(...readsByKind('deployments', 'the history', operations.list_environment_deployments)),
  output: z.object({
    results: z.array(
      z.object({
        state: z.string(),
        at: z.string(),
        by: z.string(),
        commit: z.string(),
        image: z.string(),
        id: z.string(),
      }),
    ),
    page: z.int(),
    page_size: z.int(),
  }),
  answer: async ({ page = 1, page_size }, context) => {
    const subject = serviceSubject(context);
    const history =
      (await readAspect(context, subject, 'deployments', { page, page_size })) ??
      (await refuseUnread(context, subject, { page, page_size }));
    const results = recordsIn(history['results']);
    const isCut = history['without_pages'] === true;
    if (isCut && page > 1 && results.length === 0) context.leftOut(noOlder);
    return {
      results: results.map((item) => row(item as HistoryItem)),
      ...(isCut ? { page_size, without_pages: true } : { page, page_size }),
    };
  },
  render: { ...table('deployment', columns), shown: undefined },
});
