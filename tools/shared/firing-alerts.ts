import { isFiring, isUntold, operations } from '../../src/contract/index.ts';
import type { FiringAlert } from '../../src/analysis/index.ts';
import {
  isRecord,
  pruneRecord,
  rowsIn,
  textAt,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** The firing alert rules of the organization; undefined if they can't be read. */
export async function firingAlerts(context: ToolContext): Promise<readonly JsonRecord[] | undefined> {
  const organization = await context.attempt(operations.get_organization, {});
  if (!organization?.id) return undefined;
  const rules = await context.attempt(operations.list_alert_rules, { organization_id: organization.id });
  return rules && rowsIn(rules as JsonRecord).filter(({ state }) => isFiring(state));
}

/**
 * The environment that an alert rule watches, or a service in it; undefined for a rule about anything else.
 * @param environmentOf the environment of a service by its id, for platforms whose rules don't contain it.
 */
export function environmentWatched(
  { target }: JsonRecord,
  environmentOf: ReadonlyMap<string, string> = new Map(),
): string | undefined {
  if (!isRecord(target)) return undefined;
  const { service, target_type: type, target_id: id } = target;
  if (isRecord(service) && typeof service['environment_id'] === 'string') return service['environment_id'];
  return type === 'ENVIRONMENT' && typeof id === 'string' ? id : environmentOf.get(String(id));
}

/** Whether an alert rule watches a cluster. Some platforms write the word with a space. */
export const watchesCluster = ({ target }: JsonRecord): boolean =>
  isRecord(target) && String(target['target_type']).trim() === 'CLUSTER';

/** A firing alert rule as the analysis takes it. */
export const firingAlert = (rule: JsonRecord): FiringAlert => ({
  name: textAt(rule, 'name') ?? textAt(rule, 'id') ?? '',
  state: textAt(rule, 'state'),
  since: textAt(rule, 'starts_at'),
  silencedUntil: textAt(rule, 'silenced_until'),
});

/** A firing alert rule, reduced to a few members. */
export const alertRow = (rule: JsonRecord): JsonRecord => {
  const service =
    isRecord(rule['target']) && isRecord(rule['target']['service']) ? rule['target']['service']['name'] : undefined;
  return pruneRecord({
    name: rule['name'],
    severity: rule['severity'],
    state: rule['state'],
    told: isUntold(rule['state']) ? 'nobody' : undefined,
    silenced_until: rule['silenced_until'],
    since: rule['starts_at'],
    service,
    id: rule['id'],
  });
};
