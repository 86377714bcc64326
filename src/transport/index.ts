/** stdio and HTTP. */

export { createApiKey, loadApiKeys, type ApiKeys } from './http/api-keys.ts';
export type { ApprovalsSource } from './http/approvals/approvals-tab.ts';
export { chatUrlOf } from './http/approvals/chat-endpoint.ts';
export { approvalsUrlOf } from './http/console/page-frame.ts';
export { bearerAuthentication } from './http/bearer-authentication.ts';
export { callOf, type Restriction } from './http/caller.ts';
export { startConsoleServer } from './http/console/console-server.ts';
export type { ConsoleSource } from './http/console/routes.ts';
export type { ViewsSource } from './http/console/views.ts';
export type { HttpHandler } from './http/exchange.ts';
export { startHttpServer } from './http/http-server.ts';
export type { AuthenticateCaller } from './http/identity.ts';
export { discoverJwksUri, type OAuth } from './http/oauth.ts';
export { assertSafeAddress, hostForUrl, isLoopback } from './http/listen-address.ts';
export type { MetricsServer } from './http/metrics-server.ts';
export { restrictedDependencies } from './http/restriction.ts';
export type { MalformedMessage } from './message-line.ts';
export { startStdioServer } from './stdio.ts';
export { stdioTransport } from './stdio-transport.ts';
