import { domainKinds, operations, type AnyOperation, type DomainKind } from '../../src/contract/index.ts';
import {
  naming,
  planOperation,
  readUses,
  rowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { idOf, type Subject } from './any-service.ts';

/** The operations on the domains of a service, by its kind. */
export const domainOperations = {
  list: {
    application: operations.list_application_domains,
    container: operations.list_container_domains,
    helm: operations.list_helm_domains,
  },
  check: {
    application: operations.get_application_domain_check,
    container: operations.get_container_domain_check,
    helm: operations.get_helm_domain_check,
  },
  create: {
    application: operations.create_application_domain,
    container: operations.create_container_domain,
    helm: operations.create_helm_domain,
  },
  delete: {
    application: operations.delete_application_domain,
    container: operations.delete_container_domain,
    helm: operations.delete_helm_domain,
  },
} as const;

const ofAllKinds = (act: keyof typeof domainOperations): AnyOperation[] => Object.values(domainOperations[act]);

/** The reads for the domains of a service, with what is missing without them. */
export const listReads: readonly ReadUse[] = readUses('the domains of a service are not shown', ...ofAllKinds('list'));

/** The reads for name server checks of a service's domains, with what is missing without them. */
export const checkReads: readonly ReadUse[] = readUses(
  'it is not shown whether the name servers point the domains of a service to it',
  ...ofAllKinds('check'),
);

/** Whether services of this kind can have custom domains. */
export const canHaveDomains = (kind: string): kind is DomainKind => (domainKinds as readonly string[]).includes(kind);

/** The kind of a service that must support domains. @throws CallFailure for other kinds */
export const domainKindOf = (context: ToolContext, { kind }: Subject): DomainKind =>
  canHaveDomains(kind)
    ? kind
    : context.refuse(
        `a ${kind} has no domains, only services of these kinds do: ${domainKinds.join(', ')}`,
        naming`Give the service that answers the requests; ${'find_resource'} lists them.`,
      );

/** The domains of a service as the platform lists them; undefined if it doesn't show them. */
export async function listDomains(
  context: ToolContext,
  kind: DomainKind,
  id: string,
): Promise<readonly JsonRecord[] | undefined> {
  const list: JsonRecord | undefined = await context.attempt<AnyOperation>(
    domainOperations.list[kind],
    idOf({ kind, id }),
  );
  return list && rowsIn(list).filter((row) => textOf(row, 'domain') !== undefined);
}

/** Whether the name servers point a domain to its service, as text, according to the platform's check. */
function enteredText(domain: JsonRecord, check: string | undefined): string {
  if (check === 'MATCHES_LOAD_BALANCER_HOST' || (check === 'RESOLVES_TO_IP' && domain['use_cdn'] === true))
    return 'yes';
  if (check === 'DOMAIN_NOT_CONFIGURED') return 'no';
  if (check === 'DOMAIN_LINKED_TO_WRONG_HOST') return 'no, it points to another host';
  return 'not known';
}

/**
 * A domain with the required DNS record, and whether the record exists.
 * @param checks the result of the platform's check; undefined if it isn't available
 */
function domainView(domain: JsonRecord, checks: readonly JsonRecord[] | undefined): JsonRecord {
  const name = textOf(domain, 'domain') ?? '';
  const found = checks?.find((row) => textOf(row, 'domain_name')?.toLowerCase() === name.toLowerCase());
  const target = textOf(domain, 'validation_domain');
  return {
    domain: name,
    id: domain['id'],
    // With a CDN in front, the domain has the CDN's record, which the platform doesn't know.
    record: target === undefined ? undefined : { type: 'CNAME', name, value: target },
    entered: enteredText(domain, textOf(found, 'status')),
    check: found?.['status'],
    error_details: found?.['error_details'] ?? undefined,
    generate_certificate: domain['generate_certificate'],
    use_cdn: domain['use_cdn'] === true ? true : undefined,
  };
}

/** The operation that checks the domains of a service at the name servers. */
export const checkOf = (kind: DomainKind): AnyOperation => domainOperations.check[kind];

/** Some domains of a service with their required DNS records, and whether the records exist. */
export async function withRecords(
  context: ToolContext,
  kind: DomainKind,
  id: string,
  domains: readonly JsonRecord[],
): Promise<readonly JsonRecord[]> {
  if (domains.length === 0) return [];
  const checks: JsonRecord | undefined = await context.attempt<AnyOperation>(checkOf(kind), idOf({ kind, id }));
  return domains.map((domain) => domainView(domain, checks && rowsIn(checks)));
}

/**
 * The domains of a service of any kind, with their records; undefined if it can't have any, or the platform doesn't
 * show them.
 */
export async function domainsOf(
  context: ToolContext,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
): Promise<readonly JsonRecord[] | undefined> {
  if (!canHaveDomains(kind)) return undefined;
  const domains = await listDomains(context, kind, id);
  return domains && withRecords(context, kind, id, domains);
}

/** A domain as an address, with the problem at the name servers, if any. */
export function addressOfDomain({ domain, entered }: JsonRecord): string {
  const [address, state] = [`https://${String(domain)}`, String(entered)];
  if (state === 'yes') return address;
  return state === 'not known'
    ? `${address} (not known whether the name servers point here)`
    : `${address} (not yet verified at the name server${state.slice('no'.length).replace(', ', ': ')})`;
}

/** The request that adds a domain to a service. */
export const planDomain = (
  kind: DomainKind,
  id: string,
  domain: { readonly domain: string; readonly generate_certificate: boolean; readonly use_cdn?: boolean | undefined },
) => {
  const operation: AnyOperation = domainOperations.create[kind];
  return planOperation(operation, { ...idOf({ kind, id }), ...domain });
};

/** The request that removes a domain from a service. */
export const planDeletion = (kind: DomainKind, id: string, domainId: string) => {
  const operation: AnyOperation = domainOperations.delete[kind];
  return planOperation(operation, { ...idOf({ kind, id }), custom_domain_id: domainId });
};
