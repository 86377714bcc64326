import { count, reasonWith, texts, words } from './reason.ts';

/** An address, and the machines on which it was tried; empty if there is only one machine. */
const address = { url: words, on: texts };

/** The machines concerned, in parentheses; empty for no machine. */
export const onMachines = (names: readonly string[]): string => (names.length === 0 ? '' : ` (on ${names.join(', ')})`);

/** Conditions of the public addresses of a service. */
export const routeReasons = {
  ADDRESS_WITHOUT_INSTANCE: reasonWith(
    { url: words, port: count },
    ({ url, port }) =>
      `${url} does not answer: no instance takes connections on port ${port}. Let the program listen there on all addresses of its container, or correct the port.`,
  ),
  ADDRESS_WITHOUT_ROUTE: reasonWith(
    { url: words },
    ({ url }) => `${url} does not answer: the proxy has no route to it. Deploy the service again.`,
  ),
  ADDRESS_SLOW: reasonWith(
    address,
    ({ url, on }) => `${url} took the request, and did not answer it in time${onMachines(on)}`,
  ),
  ADDRESS_UNTRIED: reasonWith(
    address,
    ({ url, on }) =>
      `${url} can't be tried from the platform: the proxy's port is not reached from there${onMachines(on)}`,
  ),
  /** `said` is the message of the proxy or the certificate authority. */
  CERTIFICATE_MISSING: reasonWith(
    { ...address, host: words, said: words.optional() },
    ({ url, host, said, on }) =>
      `${url} has no certificate yet: it comes when the name ${host} leads to this cluster, and ports 80 and 443 of it are reached from outside${said === undefined ? '' : `. The proxy says: ${said}`}${onMachines(on)}`,
  ),
  DOMAIN_NOT_SERVED: reasonWith({ fault: words }, ({ fault }) => `A domain of the service is not served: ${fault}`),
  /** A problem of the proxy that isn't about a service's addresses. */
  PROXY_IMPAIRED: reasonWith({ problem: words }, ({ problem }) => problem),
};
