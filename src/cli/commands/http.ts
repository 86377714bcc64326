import manifest from '../../../package.json' with { type: 'json' };
import { ApiError } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import { everyOrganization } from '../../contract/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { buildServer, createDependencies } from '../../server/protocol/index.ts';
import type { PersistentNameResolver } from '../../server/resolve/index.ts';
import { watchFor } from '../../server/browse/index.ts';
import { permissionOf } from '../../server/tool/index.ts';
import { approvalsUrlOf, callOf, chatUrlOf, startHttpServer, type ApprovalsSource } from '../../transport/index.ts';
import { openApprovalsChat, type OpenChat } from '../wiring/approvals-chat.ts';
import { openApprovalsWebhook } from '../wiring/approvals-webhook.ts';
import { openNameResolver } from '../wiring/name-resolver.ts';
import { openTelemetry } from '../wiring/telemetry.ts';
import type { Connection } from '../wiring/connection.ts';
import { openConnection } from '../wiring/open-connection.ts';
import { consoleSourceOf, latestRecordsOf } from '../wiring/console.ts';
import { approvalsConfigOf, openGuard } from '../wiring/guard.ts';
import { openSharedGuard, type SharedGuard } from '../wiring/shared-guard.ts';
import { requireWritable } from '../wiring/written-places.ts';
import { authenticationOf } from '../wiring/http/authentication.ts';
import { openReloadablePolicy } from '../wiring/http/reloadable-policy.ts';
import { createLog } from '../wiring/log.ts';
import { listeningOn } from '../wiring/listen-error.ts';
import { choosableTools, offeredTools, offeredToolsets, toolsLeftOut } from '../wiring/offered-tools.ts';
import { warningOfMissingResources } from '../wiring/policy.ts';
import { approveCommandOf } from '../wiring/typed-command.ts';
import { untilStopped } from '../wiring/until-stopped.ts';
import { shippedTexts } from '../wiring/shipped-texts.ts';
import type { RecordDecision } from '../../server/audit/index.ts';
import {
  createApprovalQueue,
  createPageHandover,
  handoverNowhere,
  hasOperators,
  type Handover,
  type WaitingSecrets,
} from '../../server/guard/index.ts';

/** Whether operators have a page: the approvals page, or the console with it. */
const hasPage = ({ approvalsPage, console: hasConsole }: Config): boolean => approvalsPage || hasConsole;

/**
 * Opens the data of the approvals page, if the page is enabled.
 * @param record records decisions from the page.
 * @param shared the state that this server shares with others.
 * @param secrets the secrets that wait for the operator.
 * @param chat the chat that is told of decisions on the page.
 */
function openApprovalsSource(
  config: Config,
  record: RecordDecision,
  shared: SharedGuard | undefined,
  secrets: WaitingSecrets | undefined,
  chat: OpenChat | undefined,
): { readonly shown?: ApprovalsSource; readonly close: () => Promise<void> } {
  if (!hasPage(config)) return { close: async () => undefined };
  const approvals = approvalsConfigOf(config, undefined, shared);
  return {
    shown: {
      queue: createApprovalQueue(approvals, { how: 'page', record, decided: chat?.channel.edit }),
      approveCommand: approveCommandOf(config),
      secrets,
      ...(shared && {
        operators: { records: shared.store.operatorSessions, keyRing: shared.keyRing, keys: approvals.keys },
      }),
      ...latestRecordsOf(config),
    },
    close: async () => {
      if (!shared) await approvals.store.close();
    },
  };
}

const clock = { now: Date.now };

/** How new secrets get to a person: on the approvals page of this process. @param page the address of the page */
function handoverOf(
  config: Config,
  shared: SharedGuard | undefined,
  page: () => string | undefined,
): { readonly handover: Handover; readonly secrets?: WaitingSecrets } {
  const elsewhere = 'Tell the user: whoever runs the platform creates it there.';
  if (!hasPage(config))
    return {
      handover: handoverNowhere({
        why: 'this server has no approvals page',
        next: 'Tell the user: whoever runs this server sets INFRA_HTTP_APPROVALS_PAGE=true, and a secret with the command approve --set-secret.',
      }),
    };
  if (shared)
    return {
      handover: handoverNowhere({ why: 'the page of servers that share a database shows none', next: elsewhere }),
    };
  const approvals = approvalsConfigOf(config);
  return createPageHandover(clock, page, () => hasOperators(approvals));
}

/** Whether this server has its own token for the platform. It always has one for the embedded platform. */
const hasPlatformToken = ({ baseUrl, apiToken, apiTokenFile }: Config): boolean =>
  baseUrl === undefined || (apiToken ?? apiTokenFile) !== undefined;

/** Sends one request to the platform. For a server without a token, 401 is a sufficient response. */
const platformCheck =
  ({ connect }: Connection, holdsToken: boolean) =>
  async (): Promise<void> => {
    const { client } = await connect();
    await client.call(everyOrganization, {}, { attempts: 1 }).catch((error: unknown) => {
      if (holdsToken || !(error instanceof ApiError && error.kind === 'unauthorized')) throw error;
    });
  };

/**
 * Reloads policy and keys on SIGHUP, both or neither, and closes sessions and streams with outdated rights.
 * @returns a function that removes the signal handler.
 */
function reloadOnHangup(reload: () => Promise<void>, log: ServerLogger): () => void {
  const onHangup = (): void => {
    reload().then(
      () => log.info({}, 'reloaded policy and keys'),
      (error: unknown) => log.error({ err: error }, 'not reloaded: policy and keys stay as they were'),
    );
  };
  process.on('SIGHUP', onHangup);
  return () => process.off('SIGHUP', onHangup);
}

/**
 * `infra-mcp http`: serves MCP clients over HTTP until a signal stops it. When it is ready, prints its URL and the URL
 * of its metrics, if served, as one line of JSON on stdout.
 * @throws Error if anyone could reach it without authentication, or a configured file, directory, address or database
 * can't be used; at the end, if a newer version has changed its database.
 */
export async function httpCommand(config: Config): Promise<void> {
  requireWritable(config);
  const log = createLog(config.logLevel);
  const shared = await openSharedGuard(config, log);
  const resolver = openNameResolver(config, shared?.store);
  try {
    await serve(config, { log, shared, resolver });
  } finally {
    await resolver.close();
    await shared?.close();
  }
}

/** Serves until a signal stops it. Its arguments stay open. */
async function serve(
  config: Config,
  {
    log,
    shared,
    resolver,
  }: {
    readonly log: ServerLogger;
    readonly shared: SharedGuard | undefined;
    readonly resolver: PersistentNameResolver;
  },
): Promise<void> {
  const tools = offeredTools(config);
  const choosable = choosableTools(config);
  const telemetry = await openTelemetry(
    config,
    config.baseUrl === undefined ? ['calls', 'http', 'engine'] : ['calls', 'http'],
    log,
  );
  const connection = await openConnection(config, log, telemetry.requests);
  let approvalsUrl: string | undefined;
  let chatUrl: string | undefined;
  const chat = await openApprovalsChat(config, log, { page: () => approvalsUrl, endpoint: () => chatUrl });
  const guard = openGuard(config, {
    webhook: await openApprovalsWebhook(config, log, () => approvalsUrl),
    chat: chat?.channel,
    observer: telemetry.approvals,
    shared,
  });
  const { handover, secrets } = handoverOf(config, shared, () => approvalsUrl);
  const texts = shippedTexts();
  const authentication = await authenticationOf(config, log);
  // The host's log entries are redacted like those of calls.
  let hostLog = log;
  const policies = await openReloadablePolicy(config, { offered: tools, choosable }, (policy) => {
    const dependencies = createDependencies({
      tools,
      otherTools: toolsLeftOut(tools),
      policy,
      connect: warningOfMissingResources(connection, policy, log).connect,
      secrets: connection.secrets,
      valueVariableNames: authentication.valueVariableNames,
      log,
      guard: guard.dependencies,
      handover,
      resolver,
      texts,
      version: manifest.version,
      clock,
      observer: telemetry.calls,
    });
    hostLog = dependencies.log;
    return { ...dependencies, approvalsPage: () => approvalsUrl };
  });
  const approvals = openApprovalsSource(config, guard.recordDecision, shared, secrets, chat);
  const holdsToken = hasPlatformToken(config);
  const stopped = untilStopped();
  const server = await listeningOn({ host: config.httpHost, port: config.httpPort }, () =>
    startHttpServer({
      host: config.httpHost,
      port: config.httpPort,
      publicUrl: config.publicUrl,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      legacy: config.statelessLegacy ? 'stateless' : 'sessions',
      authenticate: authentication.authenticate,
      routes: authentication.routes,
      limitAddresses: config.addressLimits,
      limits: { drainDelay: config.drainDelay * 1000 },
      approvals: approvals.shown,
      console: config.console
        ? consoleSourceOf(config, holdsToken ? policies.dependencies : undefined, shared !== undefined)
        : undefined,
      approvalsChat: chat?.decisions(guard.recordDecision, shared).receive,
      holdsToken,
      policyVersion: policies.version,
      askPlatform: platformCheck(connection, holdsToken),
      watch: ({ caller: { restriction }, call }) => watchFor(() => policies.dependencies(restriction), call),
      build: (era, { restriction }, only) =>
        buildServer(policies.dependencies(restriction), {
          era,
          ...only,
          callerOf: ({ http: request }) => callOf(request?.authInfo).call,
        }),
      toolsets: offeredToolsets(choosable),
      levelOf: (name) => {
        const tool = choosable.find((one) => one.name === name);
        return tool && permissionOf(tool);
      },
      clock,
      log: hostLog,
    }),
  );
  const url = config.publicUrl?.href ?? server.url;
  chatUrl = chatUrlOf(new URL(url)).href;
  if (hasPage(config)) approvalsUrl = approvalsUrlOf(new URL(url), config.console).href;
  const stopReloading = reloadOnHangup(async () => {
    const [applyPolicy, applyKeys] = await Promise.all([policies.prepareReload(), authentication.prepareReload()]);
    applyPolicy();
    applyKeys();
    await server.recheck();
  }, log);
  const metricsUrl = await telemetry
    .serve({ approvalsWaiting: guard.waiting, http: server.load, engine: connection.engine })
    .catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
  process.stdout.write(`${JSON.stringify({ url, metrics_url: metricsUrl })}\n`);
  const failure = await Promise.race([
    stopped,
    ...[connection.unusable, shared?.store.unusable].filter((each) => each !== undefined),
  ]);
  stopReloading();
  await server.close();
  await telemetry.close();
  await approvals.close();
  await guard.close();
  await connection.close();
  if (failure) throw failure;
}
