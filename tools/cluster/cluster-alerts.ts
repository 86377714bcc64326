import { isFiring, operations } from '../../src/contract/index.ts';
import { alertNames } from '../../src/analysis/index.ts';
import { rowsIn, wholeListIn, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { clusterWatched, firingAlert } from '../shared/firing-alerts.ts';

/**
 * The alerts that fire about some clusters, as text; undefined if the rules can't be read, which the answer says, as it
 * does if only some of them can.
 * @param names of the clusters by id
 */
export async function alertsOnClusters(
  context: ToolContext,
  organization_id: string,
  names: ReadonlyMap<string, string | undefined>,
): Promise<readonly string[] | undefined> {
  const rules: JsonRecord | undefined = await context.attempt(operations.list_alert_rules, { organization_id });
  if (!rules) return undefined;
  const alerts = rowsIn(rules).flatMap((rule) => {
    const id = isFiring(rule['state']) ? clusterWatched(rule) : undefined;
    return id === undefined || !(id === '' || names.has(id)) ? [] : [firingAlert(rule, names.get(id) || id || '?')];
  });
  const isWhole = wholeListIn(rules) !== undefined;
  if (!isWhole) context.leftOut('Not all alert rules could be read: others may fire about these clusters.');
  return alerts.length > 0 || isWhole ? alertNames(alerts, true) : undefined;
}
