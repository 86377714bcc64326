import { isServiceKind } from '../../src/contract/index.ts';
import { textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { canHaveDomains, listDomains } from '../shared/custom-domains.ts';
import { fewAtOnce } from '../shared/few-at-once.ts';
import { unlessGone } from '../shared/if-possible.ts';

/** Maximum number of services whose domains are read in each environment: each takes a request. */
const mostWithDomains = 10;

const kindOf = (service: JsonRecord): string => (textOf(service, 'service_type') ?? '').toLowerCase();

const keyOf = (service: JsonRecord): string => `${kindOf(service)} ${(textOf(service, 'name') ?? '').toLowerCase()}`;

/** The domains of a service; undefined if they can't be read. */
function domainsOf(context: ToolContext, service: JsonRecord): Promise<readonly JsonRecord[] | undefined> {
  const [kind, id] = [kindOf(service), textOf(service, 'id')];
  return isServiceKind(kind) && canHaveDomains(kind) && id !== undefined
    ? unlessGone(listDomains(context, kind, id))
    : Promise.resolve(undefined);
}

/** Names differ between environments on purpose. How domains get certificates, and whether a CDN is in front, should not. */
const settingsOf = (domains: readonly JsonRecord[]): string =>
  [
    ...new Set(
      domains.map(({ generate_certificate: isGenerated, use_cdn: hasCdn }) =>
        [isGenerated === false ? 'own certificate' : 'generated certificate', ...(hasCdn === true ? ['CDN'] : [])].join(
          ' and ',
        ),
      ),
    ),
  ]
    .toSorted()
    .join(', ');

const shown = (domains: readonly JsonRecord[], hasBoth: boolean): JsonRecord => ({
  any: domains.length > 0 ? 'there' : 'none',
  ...(hasBoth && { settings: settingsOf(domains) }),
});

type Services = readonly JsonRecord[];

/**
 * Adds `custom_domains` to the services that both environments have: whether there are any, and if both have some, how
 * they are served. Says in the answer of which services they are not compared.
 */
export async function withDomains(
  context: ToolContext,
  [first, second]: readonly [Services, Services],
): Promise<readonly [Services, Services]> {
  const others = new Map(second.map((service) => [keyOf(service), service]));
  const pairs = first.flatMap((service) => {
    const other = others.get(keyOf(service));
    return other && canHaveDomains(kindOf(service)) ? [[service, other] as const] : [];
  });
  const domains = await fewAtOnce(pairs.slice(0, mostWithDomains).flat(), (service) => domainsOf(context, service));
  const known = new Map<JsonRecord, JsonRecord>();
  const unread: string[] = [];
  for (const [index, [one, other]] of pairs.entries()) {
    const [of, ofOther] = [domains[2 * index], domains[2 * index + 1]];
    if (of === undefined || ofOther === undefined) {
      unread.push(textOf(one, 'name') ?? '');
      continue;
    }
    const hasBoth = of.length > 0 && ofOther.length > 0;
    known.set(one, shown(of, hasBoth));
    known.set(other, shown(ofOther, hasBoth));
  }
  if (unread.length > 0) context.leftOut(`Custom domains that are not compared: those of ${unread.join(', ')}.`);
  const added = (services: Services): Services =>
    services.map((service) => (known.has(service) ? { ...service, custom_domains: known.get(service) } : service));
  return [added(first), added(second)];
}
