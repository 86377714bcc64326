import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { overviewOf } from '../../src/analysis/index.ts';
import { composeTool, recordsIn, naming, pruneRecord, readUses, tableText, type JsonRecord, type NextCall, type ToolContext } from '../../src/server/tool/index.ts';
import { lockOn, readsOfLock } from '../shared/environment-lock.ts';
import { alertRow, environmentWatched, firingAlerts } from '../shared/firing-alerts.ts';
import { readsOfServices, observedServices } from '../shared/observed-services.ts';
import { addressesIn, readsOfAddressesIn } from '../shared/public-addresses.ts';
import { readsOfServing, servingById } from '../shared/serving.ts';
import { startStopped } from '../shared/start-stopped.ts';
import { isActedOn, notActedOn, otherServicesIn } from '../shared/other-kinds.ts';

/** The firing alerts on the services of an environment. */
const alertsOn = async (context: ToolContext, environmentId: string): Promise<readonly JsonRecord[]> =>
  ((await firingAlerts(context)) ?? []).filter((rule) => environmentWatched(rule) === environmentId).map(alertRow);

const mostDiagnosed = 2;

function next(view: JsonRecord): readonly NextCall[] {
  const failed = recordsIn(view['results']).filter(({ condition, kind, id }) => condition === 'failed' && isActedOn(kind) && id !== undefined);
  // Up to a few are diagnosed; what is stopped is started by one call, which must not fall behind them.
  return [...failed.slice(0, mostDiagnosed).map(({ id }) => ({ tool: 'diagnose_deployment', arguments: { service: id }, why: 'why it failed' })), ...startStopped(recordsIn(view['results']))];
}

export const getEnvironmentOverview = composeTool({
  name: 'get_environment_overview',
  toolset: 'environments',
  title: 'Check the health of an environment',
  description:
    "Is everything all right in staging or production, what's wrong? How each service is doing, unhealthy first: the version " +
    'that serves, old configuration, alerts that fire.',
  input: { environment: reference('environment') },
  operations: [operations.get_environment_status, operations.list_services, operations.list_alert_rules],
  reads: [...readsOfServices, ...readsOfServing, ...readsOfAddressesIn, ...readsOfLock('whether the cluster is locked is not shown'), ...readUses('alerts that fire are not shown', operations.get_organization, operations.list_alert_rules)],
  output: z.object({ environment: z.string(), counts: z.object({}), results: z.array(z.object({ name: z.string(), kind: z.string(), condition: z.string(), reason: z.string(), serves: z.string(), state: z.string(), at: z.string(), id: z.string() })), alerts: z.array(z.object({})) }),
  answer: async ({ environment }, context) => {
    const [services, others, alerts, addresses, lock] = await Promise.all([
      observedServices(context, environment), otherServicesIn(context, environment), alertsOn(context, environment), addressesIn(context, environment),
      lockOn(context, environment, context.resolved['environment']?.project?.id),
    ]);
    const { services: results, counts } = overviewOf(services ? [...services, ...others] : context.refuse('this platform shows neither the services of an environment nor their states', naming`Ask for one application at a time: ${'get_application_status'}.`));
    const serving = await servingById(context, services ?? []);
    const told = results.map((row) => {
      const { urls = [], domains = [] } = addresses?.get(row.id) ?? {};
      return pruneRecord({ ...row, serves: serving.get(row.id), id: row.id || undefined, url: urls[0], domains: domains.length > 0 ? domains.join(', ') : undefined });
    });
    return { environment: context.resolved['environment']?.path ?? environment, counts, ...(lock !== undefined && { cluster_lock: lock }), results: told, ...(alerts.length > 0 && { alerts }) };
  },
  render: {
    view: (answer) => answer,
    text: ({ environment, counts, cluster_lock: lock, results, alerts }) =>
      [
        `${String(environment)}: ${Object.entries((counts ?? {}) as JsonRecord).map(([condition, count]) => `${String(count)} ${condition}`).join(', ') || 'no services'}`,
        ...(typeof lock === 'string' ? [`${lock}. While it is locked, nothing in this environment can be deployed or changed.`] : []),
        ...(recordsIn(results).length > 0 ? [tableText(recordsIn(results), ['name', 'kind', 'condition', 'reason', 'serves', 'state', 'at', 'url', 'domains', 'id'])] : []),
        ...notActedOn(recordsIn(results).map(({ kind }) => kind)),
        ...(recordsIn(alerts).length > 0 ? ['Alerts that fire:', tableText(recordsIn(alerts), ['name', 'severity', 'state', 'since', 'service', 'id'])] : []),
      ].join('\n'),
    keep: 'first',
  },
  next,
});
