/*
 * Kubernetes sets variables about each Service of a namespace in every container. Those of a Service called infra-http
 * begin like options of infra-mcp: INFRA_HTTP_PORT=tcp://10.96.0.12:8080.
 */

/** The start of the environment variables of options. */
export const variablePrefix = 'INFRA_';

/** The protocol, address and port of a Service, in the variables that have it. */
const serviceAddress = /^(?:tcp|udp|sctp):\/\/[^/]+:\d+$/;
const addressVariable = /_PORT(?:_\d+_(?:TCP|UDP|SCTP))?$/;

/** The variables of one Service, after its name. */
const parts = /^(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/** The names of the variables `INFRA_…` that Kubernetes sets about Services, in their order in the environment. */
export function serviceLinksIn(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const services = Object.keys(env).flatMap((name) => {
    const service = name.replace(/_SERVICE_HOST$/, '');
    return service !== name && env[`${service}_SERVICE_PORT`] !== undefined ? [`${service}_`] : [];
  });
  const isLink = (name: string, value: string): boolean =>
    name.startsWith(variablePrefix) &&
    ((addressVariable.test(name) && serviceAddress.test(value)) ||
      services.some((service) => name.startsWith(service) && parts.test(name.slice(service.length))));
  return new Set(Object.entries(env).flatMap(([name, value = '']) => (isLink(name, value) ? [name] : [])));
}
