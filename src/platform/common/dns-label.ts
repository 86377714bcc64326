/** The most characters of a name that a label takes over: with an id behind it, it stays below the 63 that DNS allows. */
const longest = 40;

/** A name in the form of a DNS label: lower case letters, digits and dashes; `service` if nothing of it is left. */
export const dnsLabel = (name: string): string =>
  name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '').slice(0, longest).replace(/-+$/, '') || 'service';
