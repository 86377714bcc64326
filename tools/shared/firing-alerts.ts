import { isFiring, isUntold, operations, whyUnwatched } from '../../src/contract/index.ts';
import { alertNames, type FiringAlert } from '../../src/analysis/index.ts';
import {
  isRecord,
  pruneRecord,
  readUses,
  rowsIn,
  show,
  textAt,
  wholeListIn,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { ifPossible } from './if-possible.ts';
import { namesOf } from './listed-names.ts';

/** The alert rules of the organization that an overview is about. */
interface WatchedAlerts {
  readonly firing: readonly JsonRecord[];
  /** Those that watch nothing: that they don't fire says nothing. */
  readonly unwatched: readonly JsonRecord[];
  /** All of them; undefined if not all can be read. */
  readonly whole?: readonly JsonRecord[];
}

/** The alert rules that fire, and those that watch nothing; none if they can't be read, which the answer says. */
export async function watchedAlerts(context: ToolContext): Promise<WatchedAlerts> {
  const organization = await context.attempt(operations.get_organization, {});
  const rules: JsonRecord | undefined = organization?.id
    ? await context.attempt(operations.list_alert_rules, { organization_id: organization.id })
    : undefined;
  const rows = rules ? rowsIn(rules) : [];
  return {
    firing: rows.filter(({ state }) => isFiring(state)),
    unwatched: rows.filter((rule) => whyUnwatched(rule) !== undefined),
    whole: wholeListIn(rules),
  };
}

const mostUnwatched = 5;

/** The alert rules among these that watch nothing, as one text; undefined if there are none. */
export function unwatchedText(rules: readonly JsonRecord[]): string | undefined {
  const names = rules.flatMap((rule) => {
    const why = whyUnwatched(rule);
    return why === undefined ? [] : [`${textAt(rule, 'name') ?? textAt(rule, 'id') ?? '?'} (${why})`];
  });
  if (names.length === 0) return undefined;
  const more = names.length - mostUnwatched;
  return [...names.slice(0, mostUnwatched), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** The line of an answer about alert rules that watch nothing. @param rules what `unwatchedText` returned */
export const unwatchedLine = (rules: unknown): readonly string[] =>
  typeof rules === 'string' ? [`That these alert rules don't fire says nothing, they watch nothing: ${rules}.`] : [];

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

/** The part of an organization that an overview is about. */
interface WatchedPlaces {
  /** Ids of the environments that may be read: nothing is reported about others. */
  readonly known: ReadonlySet<string>;
  readonly environmentOf: ReadonlyMap<string, string>;
  /** Names of clusters by id. */
  readonly clusterNames: ReadonlyMap<string | undefined, string | undefined>;
  /** Ids of the clusters that host them. */
  readonly hosting: ReadonlySet<string>;
  /** Whether it is about the whole organization, all its clusters included. */
  readonly isWhole: boolean;
}

/** The alerts of an overview by what they are about, and the rules that watch nothing there. */
export function alertsInPlaces(
  { firing, unwatched }: WatchedAlerts,
  { known, environmentOf, clusterNames, hosting, isWhole }: WatchedPlaces,
) {
  const byEnvironment = Map.groupBy(firing, (rule) => environmentWatched(rule, environmentOf));
  const nameOfCluster = (rule: JsonRecord): string | undefined => {
    const id = clusterWatched(rule);
    return clusterNames.get(id) ?? id;
  };
  const isAboutCluster = (rule: JsonRecord): boolean => {
    const id = clusterWatched(rule);
    return id !== undefined && (isWhole || hosting.has(id));
  };
  const isIn = (rule: JsonRecord): boolean =>
    isAboutCluster(rule) || known.has(environmentWatched(rule, environmentOf) ?? '');
  return {
    ofEnvironment: (id: string): readonly FiringAlert[] =>
      known.has(id) ? (byEnvironment.get(id) ?? []).map((rule) => firingAlert(rule)) : [],
    ofClusters: firing.filter(isAboutCluster).map((rule) => firingAlert(rule, nameOfCluster(rule))),
    unwatched: unwatchedText(unwatched.filter(isIn)),
  };
}

/**
 * The id of the cluster that an alert rule watches, empty if it isn't told; undefined for a rule about anything else.
 * Some platforms write the type with a space.
 */
export const clusterWatched = (rule: JsonRecord): string | undefined =>
  textAt(rule, 'target.target_type')?.trim() === 'CLUSTER'
    ? (textAt(rule, 'target.target_id') ?? textAt(rule, 'cluster_id') ?? '')
    : undefined;

/** Whether an alert rule watches the service of this id. */
export const isAbout = ({ target }: JsonRecord, id: string): boolean =>
  id !== '' && isRecord(target) && target['target_id'] === id;

/** The reads for the alerts that fire about services. */
export const readsOfAlerts: readonly ReadUse[] = readUses(
  'alerts that fire are not shown',
  operations.get_organization,
  operations.list_alert_rules,
);

/** The names of the alert rules that fire about these services, with those of which nobody is told marked. */
export async function alertsAbout(context: ToolContext, ids: readonly string[]): Promise<readonly string[]> {
  const { firing } = await watchedAlerts(context);
  return alertNames(firing.filter((rule) => ids.some((id) => isAbout(rule, id))).map((rule) => firingAlert(rule)));
}

/** A firing alert rule as the analysis takes it. @param cluster the name of the cluster that it is about */
export const firingAlert = (rule: JsonRecord, cluster?: string): FiringAlert => ({
  ...(cluster !== undefined && { cluster }),
  name: textAt(rule, 'name') ?? textAt(rule, 'id') ?? '',
  state: textAt(rule, 'state'),
  since: textAt(rule, 'starts_at'),
  silencedUntil: textAt(rule, 'silenced_until'),
});

/** The reads that tell receivers of alerts by their names. */
export const readsOfReceivers: readonly ReadUse[] = readUses(
  'who was told of alerts is shown by ids',
  operations.list_alert_receivers,
);

/** Who was told of an alert that fires, with the names of receivers as far as they can be read. */
async function toldOf({ state, alert_receiver_ids: ids }: JsonRecord, context: ToolContext): Promise<string> {
  if (isUntold(state)) return 'nobody';
  if (state !== 'NOTIFIED') return 'nobody yet';
  if (!Array.isArray(ids) || ids.length === 0) return 'not known';
  const receivers = ids.map(String);
  return (
    (await ifPossible(context, 'By which name receivers of alerts are known', () =>
      namesOf(receivers, operations.list_alert_receivers, context),
    )) ?? receivers.join(', ')
  );
}

/** The line of an answer about rules, or rows of rules, that are silenced without an end that is told. */
export function endlessSilences(rules: readonly JsonRecord[]): readonly string[] {
  const names = rules
    .filter(({ state, silenced_until: until }) => state === 'SUPPRESSED' && (until ?? undefined) === undefined)
    .map((rule) => show(textAt(rule, 'name') ?? textAt(rule, 'id') ?? '?'));
  return names.length === 0
    ? []
    : [`Not known, because the platform does not tell it: what silences ${names.join(', ')}, and until when.`];
}

/** A firing alert rule, reduced to a few members. */
const alertRow = (rule: JsonRecord, told: string, cluster: string | undefined): JsonRecord => {
  const service =
    isRecord(rule['target']) && isRecord(rule['target']['service']) ? rule['target']['service']['name'] : undefined;
  return pruneRecord({
    name: rule['name'],
    severity: rule['severity'],
    state: rule['state'],
    told,
    silenced_until: rule['silenced_until'],
    silence_reason: rule['silence_reason'],
    since: rule['starts_at'],
    service,
    cluster,
    id: rule['id'],
  });
};

/** Firing alert rules as rows. @param cluster the name of the cluster that they are about */
export const alertRows = (
  rules: readonly JsonRecord[],
  context: ToolContext,
  cluster?: string,
): Promise<readonly JsonRecord[]> =>
  Promise.all(rules.map(async (rule) => alertRow(rule, await toldOf(rule, context), cluster)));
