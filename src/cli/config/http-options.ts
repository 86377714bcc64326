import { httpAddress, optional, path, withDefault, url, integerBetween, anyText, booleanText } from './fields.ts';
import { hostNames, listenHost, pageOrigins, publicAddress } from './web-fields.ts';

/** Options of the HTTP server. */
export const httpOptions = {
  httpHost: withDefault(listenHost({ host: '--host', port: '--port' }), '127.0.0.1', {
    env: 'INFRA_HTTP_HOST',
    flagName: 'host',
    value: 'address',
    commands: ['http'],
    description: 'Address to listen on. Addresses other than loopback require a keys file or an OAuth issuer.',
  }),
  httpPort: withDefault(integerBetween(0, 65_535), 8080, {
    env: 'INFRA_HTTP_PORT',
    flagName: 'port',
    value: 'port',
    commands: ['http'],
    description: 'Port to listen on; 0 picks a free port.',
  }),
  publicUrl: optional(publicAddress, {
    env: 'INFRA_HTTP_PUBLIC_URL',
    value: 'url',
    commands: ['http'],
    description:
      'URL of the MCP endpoint as clients see it, for example https://mcp.example.com/mcp or https://example.com/team/infra.',
    fallback: 'the address it listens on',
  }),
  allowedHosts: withDefault(hostNames, [], {
    env: 'INFRA_HTTP_ALLOWED_HOSTS',
    value: 'names',
    commands: ['http'],
    description: 'Additional host names accepted in the Host header, with any port, separated by commas.',
    fallback: 'none',
  }),
  allowedOrigins: withDefault(pageOrigins, [], {
    env: 'INFRA_HTTP_ALLOWED_ORIGINS',
    value: 'origins',
    commands: ['http'],
    description:
      'Origins of web pages that may use this server from a browser, such as https://app.example.com, separated by commas.',
    fallback: 'only those of this machine and of the public URL',
  }),
  keysFile: optional(path, {
    env: 'INFRA_HTTP_KEYS_FILE',
    value: 'path',
    commands: ['http'],
    description: 'API keys file in YAML or JSON; `infra-mcp key` creates entries for it.',
  }),
  oauthIssuer: optional(httpAddress, {
    env: 'INFRA_OAUTH_ISSUER',
    value: 'url',
    commands: ['http'],
    description: 'Issuer of the accepted OAuth access tokens, exactly as the authorization server writes it.',
  }),
  oauthAudience: optional(anyText, {
    env: 'INFRA_OAUTH_AUDIENCE',
    value: 'text',
    commands: ['http'],
    description: 'Required audience of access tokens.',
    fallback: 'the public URL',
  }),
  oauthJwksUrl: optional(url, {
    env: 'INFRA_OAUTH_JWKS_URL',
    value: 'url',
    commands: ['http'],
    description: "URL of the authorization server's keys (JWKS).",
    fallback: 'discovered from its metadata',
  }),
  addressLimits: optional(booleanText, {
    env: 'INFRA_HTTP_ADDRESS_LIMITS',
    commands: ['http'],
    description:
      'Limit each client address to half of all connections, sessions and streams, and to 1,024 waiting calls.',
    fallback: 'yes without a public URL, no with one: behind a proxy all clients share its address',
  }),
  drainDelay: withDefault(integerBetween(0, 300, 'seconds'), 0, {
    env: 'INFRA_HTTP_DRAIN_DELAY',
    value: 'seconds',
    commands: ['http'],
    description:
      'How long a server that was told to stop goes on taking calls, while /readyz says that it stops: as long as the proxy in front needs to notice.',
  }),
  approvalsPage: withDefault(booleanText, false, {
    env: 'INFRA_HTTP_APPROVALS_PAGE',
    commands: ['http'],
    description:
      'Serve a page at /approvals where the operator approves or refuses calls after entering the operator secret.',
  }),
  console: withDefault(booleanText, false, {
    env: 'INFRA_HTTP_CONSOLE',
    commands: ['http'],
    description:
      'Serve a console at /console for operators: states, deployments, differences, measurements and the audit log, with the approvals page as one of its tabs. The addresses of that page lead there.',
  }),
  statelessLegacy: withDefault(booleanText, false, {
    env: 'INFRA_HTTP_STATELESS_LEGACY',
    commands: ['http'],
    description:
      'Serve clients that use a 2025 protocol revision without sessions. Any replica can then answer them, but none can ask their users.',
  }),
};
