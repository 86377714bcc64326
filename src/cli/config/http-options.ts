import { httpAddress, hostNames, optional, path, withDefault, url, integerBetween, anyText, booleanText } from './fields.ts';

/** Options of the HTTP server: how their text is read, and where they may be given. */
export const httpOptions = {
  httpHost: withDefault(anyText, '127.0.0.1', {
    env: 'INFRA_HTTP_HOST', flagName: 'host', value: 'address', commands: ['http'],
    description: 'Address to listen on. Anything but loopback needs keys or an OAuth issuer.',
  }),
  httpPort: withDefault(integerBetween(0, 65_535), 8080, {
    env: 'INFRA_HTTP_PORT', flagName: 'port', value: 'port', commands: ['http'],
    description: 'Port to listen on; 0 takes any free one.',
  }),
  publicUrl: optional(url, {
    env: 'INFRA_HTTP_PUBLIC_URL', value: 'url', commands: ['http'],
    description: 'The MCP endpoint as clients reach it, such as https://mcp.example.com/mcp.', fallback: 'the address it listens on',
  }),
  allowedHosts: withDefault(hostNames, [], {
    env: 'INFRA_HTTP_ALLOWED_HOSTS', value: 'names', commands: ['http'],
    description: 'More host names that requests may be addressed to, separated by commas.', fallback: 'none',
  }),
  allowedOrigins: withDefault(hostNames, [], {
    env: 'INFRA_HTTP_ALLOWED_ORIGINS', value: 'names', commands: ['http'],
    description: 'Host names of pages that may call from a browser, separated by commas.', fallback: 'those of this machine and of the public URL',
  }),
  keysFile: optional(path, {
    env: 'INFRA_HTTP_KEYS_FILE', value: 'path', commands: ['http'],
    description: 'File of the keys that callers may bring, in YAML or JSON; `infra-mcp key` makes entries for it.',
  }),
  oauthIssuer: optional(httpAddress, {
    env: 'INFRA_OAUTH_ISSUER', value: 'url', commands: ['http'],
    description: 'Authorization server whose access tokens callers may bring, exactly as it calls itself.',
  }),
  oauthAudience: optional(anyText, {
    env: 'INFRA_OAUTH_AUDIENCE', value: 'text', commands: ['http'],
    description: 'Audience that access tokens must be issued for.', fallback: 'the public URL',
  }),
  oauthJwksUrl: optional(url, {
    env: 'INFRA_OAUTH_JWKS_URL', value: 'url', commands: ['http'],
    description: "Where the authorization server's keys are.", fallback: 'where its metadata says',
  }),
  addressLimits: optional(booleanText, {
    env: 'INFRA_HTTP_ADDRESS_LIMITS', commands: ['http'],
    description: 'Let no address take more than half of the connections, sessions and streams there are, or have more than 1,024 calls wait.',
    fallback: 'yes without a public URL, no with one: behind a proxy everybody has its address',
  }),
  approvalsPage: withDefault(booleanText, false, {
    env: 'INFRA_HTTP_APPROVALS_PAGE', commands: ['http'],
    description: 'Serve a page at /approvals where the operator, with their secret, approves or refuses calls.',
  }),
  statelessLegacy: withDefault(booleanText, false, {
    env: 'INFRA_HTTP_STATELESS_LEGACY', commands: ['http'],
    description: 'Serve clients of the 2025 revisions without sessions: any server of a fleet can answer, but cannot ask their users.',
  }),
};
