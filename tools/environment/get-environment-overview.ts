import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { alertNames, overviewOf, usageText } from '../../src/analysis/index.ts';
import {
  composeTool,
  isRecord,
  recordsIn,
  naming,
  omit,
  pruneRecord,
  tableText,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { firstServices, whereEmpty } from '../shared/first-steps.ts';
import { hostOf, readsOfNodes } from '../shared/cluster-nodes.ts';
import { lockOn, readsOfLock } from '../shared/environment-lock.ts';
import {
  alertRows,
  endlessSilences,
  environmentWatched,
  firingAlert,
  isAbout,
  readsOfAlerts,
  readsOfReceivers,
  unwatchedLine,
  unwatchedText,
  watchedAlerts,
} from '../shared/firing-alerts.ts';
import { failedBeforeStop, readsOfFailedBefore } from '../shared/failed-before-stop.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { readsOfServices, observedServices, type ObservedService } from '../shared/observed-services.ts';
import { pendingChanges, placedServices } from '../shared/pending-changes.ts';
import { addressesIn, readsOfAddressesIn } from '../shared/public-addresses.ts';
import { outlookOn, readsOfOutlook } from '../shared/environment-outlook.ts';
import { lateRuns } from '../shared/late-runs.ts';
import { nextForDown } from '../shared/next-for-down.ts';
import { readsOfServing, servingById } from '../shared/serving.ts';
import { startStopped } from '../shared/start-stopped.ts';
import { isActedOn, notActedOn, otherServicesIn } from '../shared/other-kinds.ts';
import { readsOfDifference } from '../shared/what-differs.ts';

/** The alert rules about an environment and the services in it: those that fire, and those that watch nothing. */
async function alertsOn(context: ToolContext, environmentId: string) {
  const { firing, unwatched, whole } = await watchedAlerts(context);
  const isOn = (rule: JsonRecord): boolean => environmentWatched(rule) === environmentId;
  return {
    alerts: firing.filter(isOn),
    unwatched: unwatchedText(unwatched.filter(isOn)),
    /** Whether no rule is about the environment or one of these services; false where that isn't known. */
    isUnwatched: (ids: readonly string[]): boolean =>
      whole?.every((rule) => !isOn(rule) && !ids.some((id) => isAbout(rule, id))) === true,
  };
}

/** The alerts about a service, as the end of its reason. */
const alertsText = (alerts: readonly JsonRecord[], id: string): string =>
  alertNames(alerts.filter((rule) => isAbout(rule, id)).map((rule) => firingAlert(rule)))
    .map((name) => `, and an alert fires: ${name}`)
    .join('');

/** Whether a probe checks a service; undefined for kinds without probes, and where its configuration doesn't say. */
function isChecked({ kind, configuration }: ObservedService): boolean | undefined {
  const probes = configuration?.['healthchecks'];
  return (kind === 'application' || kind === 'container') && isRecord(probes)
    ? Object.values(probes).some(isRecord)
    : undefined;
}

/** How many services are in which condition, for the first line. */
const countsText = (counts: unknown, unchecked: unknown): string =>
  Object.entries((counts ?? {}) as JsonRecord)
    .map(([condition, count]) => {
      const but =
        condition === 'healthy' && typeof unchecked === 'number' ? ` (${unchecked} without a health check)` : '';
      return `${String(count)} ${condition}${but}`;
    })
    .join(', ') || 'no services';

/** How many alerts fire, for the first line: what runs well may have one. */
function firingText(alerts: readonly JsonRecord[]): readonly string[] {
  const { length: count } = alerts;
  if (count === 0) return [];
  const { length: ofCluster } = alerts.filter(({ cluster }) => cluster !== undefined);
  const about = ofCluster === 0 ? '' : ofCluster === count ? ', about its cluster' : `, ${ofCluster} about its cluster`;
  return [`${count} ${count === 1 ? 'alert fires' : 'alerts fire'}${about}`];
}

/** The services of an environment with what their histories tell: runs that are overdue, and versions that serve. */
async function servicesWithHistories(context: ToolContext, environmentId: string) {
  const services = await observedServices(context, environmentId);
  const [late, serving] = await Promise.all([lateRuns(context, services ?? []), servingById(context, services ?? [])]);
  return [services, late, serving] as const;
}

const mostLookedInto = 2;
const lookedInto: readonly unknown[] = ['failed', 'unavailable', 'never succeeded'];
const notRunning: readonly string[] = ['stopped', 'never succeeded'];

const nextIfEmpty = whereEmpty(({ environment }) => firstServices(environment));

function next(view: JsonRecord, args: JsonRecord): readonly NextCall[] {
  const down = recordsIn(view['results']).filter(
    ({ condition, kind, id }) => lookedInto.includes(condition) && isActedOn(kind) && id !== undefined,
  );
  // Proposes calls for a few services that are down. One call starts the stopped ones, and must not be displaced.
  return [
    ...down
      .slice(0, mostLookedInto)
      .map((row) => nextForDown(row, row['backup'] !== undefined && row['backup'] !== 'none')),
    ...startStopped(recordsIn(view['results'])),
    ...nextIfEmpty(view, args),
  ];
}

export const getEnvironmentOverview = composeTool({
  name: 'get_environment_overview',
  toolset: 'environments',
  title: 'Check health of an environment',
  description:
    'Health of one environment (production, staging): everything all right, ok, healthy, unhealthy or wrong; each ' +
    'service with its live version, usage, old configuration, firing alerts.',
  input: { environment: reference('environment') },
  operations: [operations.get_environment_status, operations.list_services, operations.list_alert_rules],
  reads: [
    ...readsOfServices,
    ...readsOfServing,
    ...readsOfAddressesIn,
    ...readsOfLock('whether the cluster is locked is not shown'),
    ...readsOfNodes,
    ...readsOfOutlook,
    ...readsOfAlerts,
    ...readsOfReceivers,
    ...readsOfFailedBefore,
    ...readsOfDifference,
  ],
  output: z.object({
    environment: z.string(),
    counts: z.object({}),
    results: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        condition: z.string(),
        reason: z.string(),
        backup: z.string().optional(),
        serves: z.string(),
        usage: z.string().optional(),
        state: z.string(),
        at: z.string(),
        id: z.string(),
      }),
    ),
    alerts: z.array(z.object({})),
  }),
  answer: async ({ environment }, context) => {
    const project = context.resolved['environment']?.project?.id;
    const [[services, late, serving], others, { alerts, unwatched, isUnwatched }, addresses, lock, host] =
      await Promise.all([
        servicesWithHistories(context, environment),
        otherServicesIn(context, environment),
        alertsOn(context, environment),
        addressesIn(context, environment),
        lockOn(context, environment, project),
        hostOf(context, environment, project),
      ]);
    const {
      services: results,
      counts,
      unchecked,
    } = overviewOf(
      services
        ? [
            ...services.map((service) => ({ ...service, late: late.get(service.id), isChecked: isChecked(service) })),
            ...others,
          ]
        : context.refuseWithout(
            [operations.list_services, operations.get_environment_status],
            'this platform shows neither the services of an environment nor their states',
            naming`Ask for one application at a time: ${'get_application_status'}.`,
          ),
    );
    const isStopped = results.length > 0 && results.every(({ condition }) => notRunning.includes(condition));
    const [outlook, firing, ofHost, failedBefore, pending] = await Promise.all([
      outlookOn(context, environment, project, isStopped),
      alertRows(alerts, context),
      alertRows(host.alerts, context, host.name),
      failedBeforeStop(context, environment, services ?? []),
      ifPossible(context, 'What changed of services that are out of date', () =>
        pendingChanges(placedServices(services ?? []), environment, context),
      ),
    ]);
    const changed = [...(pending?.changes ?? []).map((change) => `${change}.`), ...(pending?.notes ?? [])];
    const usage = new Map((services ?? []).map(({ id, status }) => [id, usageText(status, context.now())]));
    const told = results.map((row) => {
      const { urls = [], domains = [] } = addresses?.get(row.id) ?? {};
      const reason = [row.reason, failedBefore.get(row.id) ?? '', alertsText(alerts, row.id)].join('');
      return pruneRecord({
        ...omit({ ...row, reason }, ['besides', 'due']),
        serves: serving.get(row.id),
        usage: usage.get(row.id),
        id: row.id || undefined,
        url: urls[0],
        domains: domains.length > 0 ? domains.join(', ') : undefined,
      });
    });
    return {
      environment: context.resolved['environment']?.path ?? environment,
      counts,
      ...(unchecked > 0 && { unchecked }),
      ...(lock !== undefined && { cluster_lock: lock }),
      ...(host.unusable !== undefined && { unusable_cluster: host.unusable }),
      ...(host.nodes !== undefined && { nodes: host.nodes }),
      ...(outlook.length > 0 && { outlook }),
      results: told,
      ...(changed.length > 0 && { changed_since_deployment: changed }),
      ...(firing.length + ofHost.length > 0 && { alerts: [...firing, ...ofHost] }),
      ...(unwatched !== undefined && { unwatched }),
      ...(results.length > 0 && isUnwatched(results.map(({ id }) => id)) && { alert_rules: 'none' }),
    };
  },
  render: {
    view: (answer) => answer,
    text: ({
      environment,
      counts,
      cluster_lock: lock,
      unusable_cluster: unusable,
      nodes,
      outlook,
      results,
      changed_since_deployment: changed,
      alerts,
      unwatched,
      unchecked,
      alert_rules: rules,
    }) =>
      [
        `${String(environment)}: ${[
          countsText(counts, unchecked),
          ...(unusable === undefined ? [] : ['unusable cluster']),
          ...firingText(recordsIn(alerts)),
        ].join('; ')}`,
        ...(typeof lock === 'string'
          ? [`${lock.replace(/\.$/, '')}. While it is locked, nothing in this environment can be deployed or changed.`]
          : []),
        ...[unusable, nodes].filter((told) => typeof told === 'string'),
        ...(Array.isArray(outlook) ? outlook.map(String) : []),
        ...(recordsIn(results).length > 0
          ? [
              tableText(recordsIn(results), [
                'name',
                'kind',
                'condition',
                'reason',
                'backup',
                'serves',
                'usage',
                'state',
                'at',
                'url',
                'domains',
                'id',
              ]),
            ]
          : []),
        ...(Array.isArray(changed) ? ['Changed since the last deployment:', ...changed.map(String)] : []),
        ...(recordsIn(results).every(({ usage }) => usage === undefined) && recordsIn(results).length > 0
          ? ['No usage is told: it was not measured, or nothing runs.']
          : []),
        ...notActedOn(recordsIn(results).map(({ kind }) => kind)),
        ...(recordsIn(alerts).length > 0
          ? [
              'Alerts that fire:',
              tableText(recordsIn(alerts), [
                'name',
                'severity',
                'state',
                'told',
                'silenced_until',
                'silence_reason',
                'since',
                'service',
                'cluster',
                'id',
              ]),
            ]
          : []),
        ...endlessSilences(recordsIn(alerts)),
        ...unwatchedLine(unwatched),
        ...(rules === 'none' ? ['No alert rule watches this environment or a service in it.'] : []),
      ].join('\n'),
    keep: 'first',
  },
  next,
});
