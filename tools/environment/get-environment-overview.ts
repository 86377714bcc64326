import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { overviewOf } from '../../src/analysis/index.ts';
import { composeTool, isRecord, naming, pruneRecord, readUses, tableText, type JsonRecord, type NextCall, type ToolContext } from '../../src/server/tool/index.ts';
import { alertRow, environmentWatched, firingAlerts } from '../shared/firing-alerts.ts';
import { readsOfServices, observedServices } from '../shared/observed-services.ts';
import { addressesIn, readsOfAddresses } from '../shared/public-addresses.ts';
import { readsOfServing, servingById } from '../shared/serving.ts';
import { isActedOn, notActedOn, otherServicesIn } from '../shared/other-kinds.ts';

/** The firing alerts on the services of an environment. */
const alertsOn = async (context: ToolContext, environmentId: string): Promise<readonly JsonRecord[]> =>
  ((await firingAlerts(context)) ?? []).filter((rule) => environmentWatched(rule) === environmentId).map(alertRow);

const records = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function next(view: JsonRecord): readonly NextCall[] {
  const failed = records(view['results']).filter(({ condition, kind, id }) => condition === 'failed' && isActedOn(kind) && id !== undefined);
  return failed.map(({ id }) => ({ tool: 'diagnose_deployment', arguments: { service: id }, why: 'why it failed' }));
}

export const getEnvironmentOverview = composeTool({
  name: 'get_environment_overview',
  toolset: 'environments',
  description:
    "Is everything all right in an environment, what's wrong? How each service of staging or production is doing, unhealthy first: the version " +
    'that serves, old configuration, alerts that fire.',
  input: { environment: reference('environment') },
  operations: [operations.get_environment_status, operations.list_services, operations.list_alert_rules],
  reads: [...readsOfServices, ...readsOfServing, ...readsOfAddresses.slice(0, 1), ...readUses('alerts that fire are not shown', operations.get_organization, operations.list_alert_rules)],
  output: z.object({ environment: z.string(), counts: z.object({}), results: z.array(z.object({ name: z.string(), kind: z.string(), condition: z.string(), reason: z.string(), serves: z.string(), state: z.string(), at: z.string(), id: z.string() })), alerts: z.array(z.object({})) }),
  answer: async ({ environment }, context) => {
    const [services, others, alerts, addresses] = await Promise.all([
      observedServices(context, environment), otherServicesIn(context, environment), alertsOn(context, environment), addressesIn(context, environment),
    ]);
    const { services: results, counts } = overviewOf(services ? [...services, ...others] : context.refuse('this platform shows neither the services of an environment nor their states', naming`Ask for one application at a time: ${'get_application_status'}.`));
    const serving = await servingById(context, services ?? []);
    return { environment: context.resolved['environment']?.path ?? environment, counts, results: results.map((row) => pruneRecord({ ...row, serves: serving.get(row.id), id: row.id || undefined, url: addresses?.get(row.id)?.[0] })), ...(alerts.length > 0 && { alerts }) };
  },
  render: {
    view: (answer) => answer,
    text: ({ environment, counts, results, alerts }) =>
      [
        `${String(environment)}: ${Object.entries((counts ?? {}) as JsonRecord).map(([condition, count]) => `${String(count)} ${condition}`).join(', ') || 'no services'}`,
        ...(records(results).length > 0 ? [tableText(records(results), ['name', 'kind', 'condition', 'reason', 'serves', 'state', 'at', 'url', 'id'])] : []),
        ...notActedOn(records(results).map(({ kind }) => kind)),
        ...(records(alerts).length > 0 ? ['Alerts that fire:', tableText(records(alerts), ['name', 'severity', 'state', 'since', 'service', 'id'])] : []),
      ].join('\n'),
    keep: 'first',
  },
  next,
});
