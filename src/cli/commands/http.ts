import manifest from '../../../package.json' with { type: 'json' };
import { ApiError } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { operations } from '../../contract/operations.ts';
import type { Log } from '../../server/context/context.ts';
import { createParts } from '../../server/protocol/parts.ts';
import { watchFor } from '../../server/browse/resources/watch.ts';
import { buildServer } from '../../server/protocol/server.ts';
import { permissionOf } from '../../server/tool/tool.ts';
import { pagePath } from '../../transport/http/approvals/pages.ts';
import { callOf } from '../../transport/http/caller.ts';
import { serveHttp } from '../../transport/http/serve.ts';
import { openAddresses } from '../wiring/addresses.ts';
import { connectionOf } from '../wiring/connecting.ts';
import type { Connection } from '../wiring/connection.ts';
import { openGuard } from '../wiring/guard.ts';
import { admissionOf } from '../wiring/http/admission.ts';
import { openApprovals } from '../wiring/http/approvals.ts';
import { openPolicies } from '../wiring/http/policies.ts';
import { createLog } from '../wiring/log.ts';
import { offeredTools, toolsLeftOut } from '../wiring/offered-tools.ts';
import { watchingPlaces } from '../wiring/policy-places.ts';
import { untilStopped } from '../wiring/stopping.ts';
import { shippedTexts } from '../wiring/texts.ts';

const clock = { now: Date.now };

/** Whether this server has a right of its own on the platform. Of the embedded one it is the administrator. */
const holdsTokenFor = ({ baseUrl, apiToken, apiTokenFile }: Config): boolean => baseUrl === undefined || (apiToken ?? apiTokenFile) !== undefined;

/** Asks the platform once. Without a token to be accepted, being told so is as good an answer as any. */
const askerOf = ({ connect }: Connection, holdsToken: boolean) => async (): Promise<void> => {
  const { client } = await connect();
  await client.call(operations.get_organization, {}, { attempts: 1 }).catch((error: unknown) => {
    if (holdsToken || !(error instanceof ApiError && error.kind === 'unauthorized')) throw error;
  });
};

/** Reads again, on SIGHUP, what may change while the server runs: all of it, or nothing. */
function reloadOnHangup(reload: () => Promise<void>, log: Log): () => void {
  const hangup = (): void => {
    reload().then(
      () => log.info({}, 'reloaded policy and keys'),
      (error: unknown) => log.error({ err: error }, 'not reloaded: policy and keys stay as they were'),
    );
  };
  process.on('SIGHUP', hangup);
  return () => process.off('SIGHUP', hangup);
}

/**
 * `infra-mcp http`: serves MCP clients over HTTP until a signal ends it. When it is ready, one line of JSON on stdout
 * says where.
 * @throws Error when it would be open to everybody, or something it is configured with can't be used.
 */
export async function http(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const tools = offeredTools(config);
  const connection = await connectionOf(config, log);
  const guard = openGuard(config);
  const addresses = openAddresses(config);
  const texts = shippedTexts();
  const admission = await admissionOf(config, log);
  let page: string | undefined;
  // What the host writes is protected as what calls write.
  let hostLog = log;
  const policies = await openPolicies(config, tools, (policy) => {
    const parts = createParts({
      tools, otherTools: toolsLeftOut(tools), policy, connect: watchingPlaces(connection, policy, log).connect, secrets: connection.secrets, unseen: admission.unseen, log, guard: guard.parts, addresses, texts,
      version: manifest.version, clock,
    });
    hostLog = parts.log;
    return { ...parts, approvalsPage: () => page };
  });
  const approvals = openApprovals(config, guard.recordDecision);
  const holdsToken = holdsTokenFor(config);
  const stopped = untilStopped();
  const server = await serveHttp({
    host: config.httpHost,
    port: config.httpPort,
    publicUrl: config.publicUrl,
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    legacy: config.statelessLegacy ? 'stateless' : 'sessions',
    authenticate: admission.authenticate,
    routes: admission.routes,
    limitAddresses: config.addressLimits,
    approvals: approvals.shown,
    holdsToken,
    policyVersion: policies.version,
    askPlatform: askerOf(connection, holdsToken),
    watch: ({ caller: { restriction }, call }) => watchFor(() => policies.parts(restriction), call),
    build: (era, { restriction }, method) => buildServer(policies.parts(restriction), { era, method, callerOf: ({ http: request }) => callOf(request?.authInfo).call }),
    levelOf: (name) => {
      const tool = tools.find((one) => one.name === name);
      return tool && permissionOf(tool);
    },
    clock,
    log: hostLog,
  });
  const url = config.publicUrl?.href ?? server.url;
  if (config.approvalsPage) page = new URL(pagePath, url).href;
  const endReloading = reloadOnHangup(async () => {
    const [usePolicy, useKeys] = await Promise.all([policies.read(), admission.read()]);
    usePolicy();
    useKeys();
  }, log);
  process.stdout.write(`${JSON.stringify({ url })}\n`);
  await stopped;
  endReloading();
  await server.close();
  approvals.close();
  await addresses.flush();
  await guard.close();
  await connection.close();
}
