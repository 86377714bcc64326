/** Whether a name leads to the machine that asks for it. Nobody issues certificates for such names. */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * The most characters of a name that a label takes over: with an id behind it, it stays below the 63 that DNS allows.
 */
const longest = 40;

/** A name in the form of a DNS label: lower case letters, digits and dashes; `service` if nothing of it is left. */
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

/** A short name that a person recognises, and that no other service has. */
const uniqueName = ({ id, name }: Named): string => `${dnsLabel(name)}-${id.slice(0, 8)}`;

/**
 * The name that consists of a service's own name, if that is a DNS label: two different names could become the same
 * label.
 */
export const plainNeighbourName = (name: string): string | undefined =>
  name.toLowerCase() === dnsLabel(name) ? name.toLowerCase() : undefined;

/** The host by which the neighbours of a service are told to reach it. */
export const internalHost = (service: Named): string => `${uniqueName(service)}.internal`;

/**
 * The names by which the neighbours of a service find it in the network of their environment. No two services of an
 * environment may share one, or the network would give one's traffic to the other.
 */
export const neighbourNames = (service: Named): readonly string[] =>
  [plainNeighbourName(service.name) ?? [], uniqueName(service), internalHost(service)].flat();
