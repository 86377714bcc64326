/** Whether a name resolves to the machine that looks it up. No CA issues certificates for such names. */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** How many characters of a name a label uses: followed by an id, it stays below the 63 that DNS allows. */
const longest = 40;

/** A name in the form of a DNS label: lower case letters, digits and dashes; `service` if nothing remains. */
export const dnsLabel = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, longest)
    .replace(/-+$/, '') || 'service';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A short name that users recognise, and that no other service has. */
const uniqueName = ({ id, name }: Named): string => `${dnsLabel(name)}-${id.slice(0, 8)}`;

/**
 * The service's name itself, if it is a DNS label apart from its case: otherwise, two different names could become the
 * same label.
 */
export const plainNeighbourName = (name: string): string | undefined =>
  name.toLowerCase() === dnsLabel(name) ? name.toLowerCase() : undefined;

/** The host name at which other services of the environment reach a service. */
export const internalHost = (service: Named): string => `${uniqueName(service)}.internal`;

/**
 * The DNS names of a service in the network of its environment. No two services of an environment may share one, or the
 * network would send requests for one to the other.
 */
export const neighbourNames = (service: Named): readonly string[] =>
  [plainNeighbourName(service.name) ?? [], uniqueName(service), internalHost(service)].flat();
