import { dnsLabel } from './dns-label.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A short name that a person recognises, and that no other service has. */
const uniqueName = ({ id, name }: Named): string => `${dnsLabel(name)}-${id.slice(0, 8)}`;

/** The name that consists of a service's own name, if that is a DNS label: two different names could become the same label. */
export const plainNeighbourName = (name: string): string | undefined => (name.toLowerCase() === dnsLabel(name) ? name.toLowerCase() : undefined);

/** The host by which the neighbours of a service are told to reach it. */
export const internalHost = (service: Named): string => `${uniqueName(service)}.internal`;

/**
 * The names by which the neighbours of a service find it in the network of their environment. No two services of an environment
 * may share one, or the network would give one's traffic to the other.
 */
export const neighbourNames = (service: Named): readonly string[] => [plainNeighbourName(service.name) ?? [], uniqueName(service), internalHost(service)].flat();
