/** HTTP requests to other programs: through which proxy they go, and how their responses are read. */

export { BodyTooLarge, decodedBody, readBody, UnreadableEncoding } from './body.ts';
export { createConnections, type ConnectionOptions, type Connections } from './connections.ts';
export { isLoopbackHost, withoutBrackets } from './hosts.ts';
export { proxyFor, proxyProblems, proxyWarnings, usedProxies } from './proxies.ts';
export { ProxyError } from './proxy-error.ts';
export { sendRequest } from './send-request.ts';
