import { createHash } from 'node:crypto';
import { mebibyte } from '../../../common/index.ts';
import {
  createDockerConfig,
  createDockerNetwork,
  createDockerSecret,
  createDockerService,
  deleteDockerNetwork,
  deleteDockerService,
  type DockerClient,
  hostOfImage,
  ignoring,
  type DockerRegistryCredentials,
  type DockerService,
  type DockerServiceSpec,
  inspectDockerService,
  listDockerConfigs,
  listDockerNetworks,
  listDockerSecrets,
  updateDockerService,
} from '../engine/index.ts';
import { agentLabels, agentUntil, anyAgentOf, isMadeHere, labelledAgent, withAgentUntil } from '../labels.ts';
import { agentFileName, agentServiceName } from '../names.ts';
import type { AgentAuthority } from './authority.ts';
import { agentFiles } from './program/files.ts';
import { deleteFilesBut, mountedFile } from '../file-objects.ts';

/** Written by npm run programs: the agent's program as one file. */
export const agentProgram =
  '// main.ts\nimport { readFileSync } from "node:fs";\n\n// files.ts\nvar agentFiles = {\n  program: "/.infra/agent.mjs",\n  /** The certificate of the authority. */\n  authority: "/.infra/authority.pem",\n  /** The agent\'s certificate with its key. */\n  certificate: "/run/secrets/agent.pem",\n  /** The socket of the node\'s engine. */\n  socket: "/var/run/docker.sock"\n};\n\n// serve.ts\nimport { createServer } from "node:https";\n\n// keep-members.ts\nfunction keepMembers(value, kept) {\n  if (Array.isArray(value)) return value.map((each) => keepMembers(each, kept));\n  if (typeof value !== "object" || value === null) return value;\n  const members = Object.entries(kept).filter(([name]) => Object.hasOwn(value, name));\n  return Object.fromEntries(members.map(([name, each]) => [name, each === true ? value[name] : keepMembers(value[name], each)]));\n}\n\n// allowed-requests.ts\nvar EngineAnswer = class extends Error {\n  status;\n  constructor(status, message) {\n    super(message);\n    this.status = status;\n  }\n};\nvar notAllowed = "The agent of this node does not carry out such requests. Its list is in the documentation.";\nvar missingImage = "infra-mcp/doctor:missing";\nvar platformLabel = "io.infra-mcp.platform";\nvar missing = () => {\n  throw new EngineAnswer(404, "This platform has nothing of that id or name on the node.");\n};\nvar labelsOf = (value) => value?.["Labels"] ?? {};\nfunction requireOurs(labels, platformId2) {\n  if (labels[platformLabel] !== platformId2) missing();\n}\nvar anyText = /^[^\\0]*$/;\nvar flag = /^(?:true|false|1|0)$/;\nvar container = String.raw`[0-9A-Za-z][\\w.-]{0,127}`;\nvar isListOfText = (value) => Array.isArray(value) && value.every((each) => typeof each === "string");\nfunction filtersOf({ query: { filters = "{}" } }, keys) {\n  let parsed;\n  try {\n    parsed = JSON.parse(filters);\n  } catch {\n    parsed = void 0;\n  }\n  if (typeof parsed !== "object" || parsed === null || !Object.entries(parsed).every(([key, value]) => keys.includes(key) && isListOfText(value))) throw new EngineAnswer(400, `Filters are lists of text for ${keys.join(", ")}.`);\n  return parsed;\n}\nfunction filtersWithin(matched, keys) {\n  const { label = [], ...others } = filtersOf(matched, keys);\n  return JSON.stringify({ ...others, label: [...label, `${platformLabel}=${matched.platformId}`] });\n}\nasync function ownContainer(ask, { name, platformId: platformId2 }) {\n  const found = await ask("GET", `/containers/${name}/json`);\n  requireOurs(labelsOf(found["Config"]), platformId2);\n  return found;\n}\nfunction isNobodyElses(image, labels, platformId2) {\n  const tags = image["RepoTags"] ?? [];\n  const maker = labels[platformLabel];\n  return (maker === void 0 || maker === platformId2) && tags.every((tag) => tag === "<none>:<none>" || tag.split("/").includes(`infra-mcp-${platformId2}`));\n}\nvar versionShown = { Version: true, ApiVersion: true, MinAPIVersion: true, Os: true, Arch: true, KernelVersion: true };\nvar infoShown = {\n  ID: true,\n  Name: true,\n  ServerVersion: true,\n  NCPU: true,\n  MemTotal: true,\n  DockerRootDir: true,\n  OperatingSystem: true,\n  Architecture: true,\n  SystemTime: true,\n  CgroupVersion: true,\n  Driver: true,\n  Swarm: { LocalNodeState: true, NodeID: true, NodeAddr: true, ControlAvailable: true }\n};\nvar summaryShown = { Id: true, Names: true, Image: true, ImageID: true, Created: true, State: true, Status: true, Labels: true };\nvar containerShown = { Id: true, Name: true, Image: true, Created: true, RestartCount: true, State: true, HostConfig: { ExtraHosts: true }, Config: { Image: true, Labels: true }, NetworkSettings: { Networks: {} } };\nvar volumeShown = { Name: true, Driver: true, CreatedAt: true, Labels: true };\nvar imageShown = { Id: true, ParentId: true, RepoTags: true, RepoDigests: true, Labels: true, Created: true, Size: true };\nvar allowedRequests = [\n  { method: "GET", path: /^\\/_ping()$/, query: {}, answer: async (ask) => keepMembers(await ask("GET", "/version"), { ApiVersion: true }) },\n  { method: "GET", path: /^\\/version()$/, query: {}, answer: async (ask) => keepMembers(await ask("GET", "/version"), versionShown) },\n  { method: "GET", path: /^\\/info()$/, query: {}, answer: async (ask) => keepMembers(await ask("GET", "/info"), infoShown) },\n  {\n    method: "GET",\n    path: /^\\/containers\\/json()$/,\n    query: { all: flag, filters: anyText },\n    answer: async (ask, matched) => keepMembers(await ask("GET", "/containers/json", { all: matched.query["all"] ?? "false", filters: filtersWithin(matched, ["id", "name", "label", "status", "network"]) }), summaryShown)\n  },\n  { method: "GET", path: new RegExp(`^/containers/(${container})/json$`), query: {}, answer: async (ask, matched) => keepMembers(await ownContainer(ask, matched), containerShown) },\n  {\n    // Without stream=false the engine would never end its answer.\n    method: "GET",\n    path: new RegExp(`^/containers/(${container})/stats$`),\n    query: { stream: /^(?:false|0)$/, "one-shot": flag },\n    answer: async (ask, matched) => {\n      await ownContainer(ask, matched);\n      return ask("GET", `/containers/${matched.name}/stats`, { ...matched.query, stream: "false" });\n    }\n  },\n  {\n    method: "DELETE",\n    path: new RegExp(`^/containers/(${container})$`),\n    query: { v: flag },\n    answer: async (ask, matched) => {\n      const { State: state } = await ownContainer(ask, matched);\n      if (state["Running"] === true) throw new EngineAnswer(409, "The container runs: the agent removes only those that ended.");\n      return ask("DELETE", `/containers/${matched.name}`, matched.query);\n    }\n  },\n  {\n    method: "GET",\n    path: /^\\/volumes()$/,\n    query: { filters: anyText },\n    answer: async (ask, matched) => {\n      const { Volumes: volumes } = await ask("GET", "/volumes", { filters: filtersWithin(matched, ["name", "label", "dangling"]) });\n      return { Volumes: keepMembers(volumes, volumeShown) };\n    }\n  },\n  {\n    method: "DELETE",\n    path: new RegExp(`^/volumes/(${container})$`),\n    query: {},\n    answer: async (ask, { name, platformId: platformId2 }) => {\n      requireOurs(labelsOf(await ask("GET", `/volumes/${name}`)), platformId2);\n      return ask("DELETE", `/volumes/${name}`);\n    }\n  },\n  {\n    method: "GET",\n    path: /^\\/images\\/json()$/,\n    query: { filters: anyText },\n    answer: async (ask, matched) => {\n      const images = await ask("GET", "/images/json", { filters: JSON.stringify(filtersOf(matched, ["label", "reference", "dangling"])) });\n      return keepMembers(images.filter((image) => isNobodyElses(image, labelsOf(image), matched.platformId)), imageShown);\n    }\n  },\n  {\n    method: "DELETE",\n    path: /^\\/images\\/((?:[a-z0-9][\\w.-]*(?::\\d+)?\\/)*[a-z0-9][\\w.-]*(?::[\\w.-]+)?(?:@sha256:[0-9a-f]{64})?)$/,\n    query: {},\n    answer: async (ask, { name, platformId: platformId2 }) => {\n      const image = await ask("GET", `/images/${name}/json`);\n      if (!isNobodyElses(image, labelsOf(image["Config"]), platformId2)) missing();\n      return ask("DELETE", `/images/${name}`);\n    }\n  },\n  {\n    // Whether the node reaches a registry. Nothing of what is sent is passed on but the host.\n    method: "GET",\n    path: new RegExp(String.raw`^/distribution/(\\w[\\w.-]*(?::\\d+)?)/${missingImage}/json$`),\n    query: {},\n    answer: async (ask, { name }) => keepMembers(await ask("GET", `/distribution/${name}/${missingImage}/json`), {})\n  }\n];\n\n// ask-engine.ts\nimport { request } from "node:http";\nvar timeoutMilliseconds = 3e4;\nvar largestAnswer = 32 * 1024 * 1024;\nvar messageOf = (text) => {\n  try {\n    return JSON.parse(text).message ?? "";\n  } catch {\n    return "";\n  }\n};\nvar askEngineAt = (socketPath, version) => async (method, path, query = {}) => {\n  const parameters = new URLSearchParams(query).toString();\n  const { promise, resolve, reject } = Promise.withResolvers();\n  const asked = request({ socketPath, method, path: `${version}${path}${parameters === "" ? "" : `?${parameters}`}`, signal: AbortSignal.timeout(timeoutMilliseconds) }, (response) => {\n    const chunks = [];\n    let bytes = 0;\n    response.on("error", reject).on("data", (chunk) => {\n      bytes += chunk.length;\n      if (bytes > largestAnswer) asked.destroy(new Error("The answer is too large."));\n      else chunks.push(chunk);\n    }).on("end", () => {\n      const text = Buffer.concat(chunks).toString("utf8");\n      const status = response.statusCode ?? 500;\n      if (status >= 300) return reject(new EngineAnswer(status, messageOf(text)));\n      try {\n        resolve(text.trim() === "" ? void 0 : JSON.parse(text));\n      } catch {\n        reject(new EngineAnswer(502, "The engine did not answer in JSON."));\n      }\n    });\n  });\n  asked.on("error", reject).end();\n  return promise;\n};\n\n// serve.ts\nvar target = /^(?<version>\\/v1\\.\\d{2})?(?<path>(?:\\/[\\w:@-][\\w.:@-]*)+)(?:\\?(?<query>[^#\\s]*))?$/;\nvar refused = (status, message) => {\n  throw new EngineAnswer(status, message);\n};\nfunction allowedWork({ method, url = "", headers }, { platformId: platformId2, socketPath }) {\n  if (headers["transfer-encoding"] !== void 0 || (headers["content-length"] ?? "0") !== "0") refused(403, notAllowed);\n  const { version = "", path = "", query = "" } = target.exec(url)?.groups ?? {};\n  const found = allowedRequests.find((each) => each.method === method && each.path.test(path)) ?? refused(403, notAllowed);\n  const pairs = [...new URLSearchParams(query)];\n  const members = Object.fromEntries(pairs);\n  const isWithin = pairs.every(([name, value]) => Object.hasOwn(found.query, name) && found.query[name].test(value));\n  if (!isWithin || Object.keys(members).length !== pairs.length) refused(403, notAllowed);\n  return () => found.answer(askEngineAt(socketPath, version), { name: found.path.exec(path)[1], query: members, platformId: platformId2 });\n}\nfunction send(response, status, body) {\n  const text = body === void 0 ? "" : JSON.stringify(body);\n  const { ApiVersion: version } = body ?? {};\n  const end = status === 400 || status === 403 ? { connection: "close" } : {};\n  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...version !== void 0 && { "api-version": version }, ...end }).end(text);\n}\nvar fail = (response, error) => error instanceof EngineAnswer ? send(response, error.status, { message: error.message }) : send(response, 502, { message: "The engine of this node did not answer." });\nfunction createAgentServer(settings) {\n  const { ca, cert, key } = settings;\n  const refusing = /* @__PURE__ */ new WeakSet();\n  const server = createServer({\n    ca,\n    cert,\n    key,\n    requestCert: true,\n    rejectUnauthorized: true,\n    minVersion: "TLSv1.3",\n    ALPNProtocols: ["http/1.1"],\n    maxHeaderSize: 8192,\n    headersTimeout: 1e4,\n    requestTimeout: 6e4,\n    keepAliveTimeout: 15 * 6e4,\n    insecureHTTPParser: false\n  }, (request2, response) => {\n    if (refusing.has(request2.socket)) return;\n    try {\n      allowedWork(request2, settings)().then((body) => send(response, 200, body), (error) => fail(response, error));\n    } catch (error) {\n      refusing.add(request2.socket);\n      fail(response, error);\n    }\n  });\n  server.maxConnections = 32;\n  server.on("checkContinue", (_, response) => send(response, 403, { message: notAllowed }));\n  for (const event of ["upgrade", "connect"]) server.on(event, (_, socket) => socket.destroy());\n  return server;\n}\n\n// main.ts\nvar [platformId = "", port = ""] = process.argv.slice(2);\nvar read = (path) => readFileSync(path, "utf8");\ncreateAgentServer({ platformId, socketPath: agentFiles.socket, ca: read(agentFiles.authority), cert: read(agentFiles.certificate), key: read(agentFiles.certificate) }).listen(Number(port));\nprocess.on("SIGTERM", () => process.exit());\n';

/** What the service of the agents is made with. */
export interface AgentParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  readonly authority: AgentAuthority;
  /** An image with Node.js 22 or newer, by its registry and tag. */
  readonly image: string;
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The port of the agents in their own network. */
export const agentPort = 2376;

/** How long the certificate of the agents is good for, and when another one takes its place, in milliseconds. */
const lifetime = 30 * 24 * 3_600_000;
const renewal = 10 * 24 * 3_600_000;

const versionOf = (content: string): string => createHash('sha256').update(content).digest('hex').slice(0, 12);

/** The service, without its files and labels. */
const specOf = ({ platformId, image }: AgentParts): DockerServiceSpec => ({
  Name: agentServiceName(platformId),
  TaskTemplate: {
    ContainerSpec: {
      Image: image,
      Command: ['node', '--max-old-space-size=48'],
      Args: [agentFiles.program, platformId, String(agentPort)],
      User: '0:0',
      Dir: '/',
      Env: ['NODE_OPTIONS='],
      ReadOnly: true,
      Init: true,
      StopGracePeriod: 2e9,
      CapabilityDrop: ['ALL'],
      Healthcheck: { Test: ['NONE'] },
      Mounts: [{ Type: 'bind', Source: agentFiles.socket, Target: agentFiles.socket }],
    },
    Resources: { Limits: { MemoryBytes: 128 * mebibyte, NanoCPUs: 5e8, Pids: 64 } },
    RestartPolicy: { Condition: 'any', Delay: 2e9 },
    Networks: [{ Target: agentServiceName(platformId) }],
    LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '2' } },
  },
  Mode: { Global: {} },
  UpdateConfig: { Parallelism: 1, Order: 'stop-first', FailureAction: 'continue' },
  EndpointSpec: { Mode: 'dnsrr' },
});

/** Tells services apart that were made with other settings, programs or authorities. */
const madeFrom = (parts: AgentParts): string =>
  versionOf(JSON.stringify([specOf(parts), agentProgram, parts.authority.certificate]));

/** The service of the agents; undefined if there is none. @throws Error if somebody else's has its name */
export async function findAgentService(
  { docker, platformId }: Pick<AgentParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<DockerService | undefined> {
  const found = await inspectDockerService(docker, agentServiceName(platformId), { signal }).catch(
    ignoring('not found'),
  );
  if (found && !isMadeHere(found.Spec.Labels, platformId))
    throw new Error(
      `The engine has a service ${found.Spec.Name} that this platform didn't make. Remove it: the agents need that name.`,
    );
  return found;
}

/** The network: only agents and tunnels are on it, and it leads nowhere else. */
async function ensureAgentNetwork(
  { docker, platformId }: AgentParts,
  labels: DockerServiceSpec['Labels'],
  signal: AbortSignal,
): Promise<void> {
  const name = agentServiceName(platformId);
  if ((await listDockerNetworks(docker, anyAgentOf(platformId), { signal })).length > 0) return;
  await createDockerNetwork(
    docker,
    { Name: name, Driver: 'overlay', Attachable: true, Internal: true, Labels: labels },
    { signal },
  ).catch(ignoring('conflict'));
}

/** Creates a config unless it is there. @returns how the agents have it */
async function ensureConfig(
  { docker, platformId }: AgentParts,
  part: 'authority' | 'program',
  content: string,
  path: string,
  labels: DockerServiceSpec['Labels'],
  signal: AbortSignal,
) {
  const name = agentFileName(platformId, part, versionOf(content));
  const find = async (): Promise<string | undefined> =>
    (await listDockerConfigs(docker, { name: [name] }, { signal }))[0]?.ID;
  const id =
    (await find()) ?? (await createDockerConfig(docker, { name, labels, content: Buffer.from(content) }, { signal }));
  return { ConfigID: id, ConfigName: name, File: mountedFile(path, 0o444) };
}

/**
 * Sees to it that every node that takes instances has an agent as the settings want it, with a certificate that is
 * still good for long.
 */
export async function ensureAgents(parts: AgentParts, signal: AbortSignal): Promise<void> {
  const { docker, platformId, authority, image, credentialsFor, now } = parts;
  const present = await findAgentService(parts, signal);
  const made = madeFrom(parts);
  if (present && labelledAgent(present.Spec.Labels) === made && agentUntil(present.Spec.Labels) - now() > renewal)
    return;
  const labels = agentLabels(platformId, made);
  // What attempts that failed have left.
  await deleteFilesBut(docker, anyAgentOf(platformId), [present?.Spec], signal);
  await ensureAgentNetwork(parts, labels, signal);
  const configs = [
    await ensureConfig(parts, 'program', agentProgram, agentFiles.program, labels, signal),
    await ensureConfig(parts, 'authority', authority.certificate, agentFiles.authority, labels, signal),
  ];
  const { cert, key, until } = authority.issue('server', lifetime, now());
  const secretName = agentFileName(platformId, 'certificate', versionOf(cert));
  const secret = await createDockerSecret(
    docker,
    { name: secretName, labels, content: Buffer.from(`${cert}${key}`) },
    { signal },
  );
  const plain = specOf(parts);
  const spec: DockerServiceSpec = {
    ...plain,
    Labels: withAgentUntil(labels, until),
    TaskTemplate: {
      ...plain.TaskTemplate,
      ContainerSpec: {
        ...plain.TaskTemplate.ContainerSpec,
        Labels: labels,
        Configs: configs,
        Secrets: [{ SecretID: secret, SecretName: secretName, File: mountedFile(agentFiles.certificate, 0o400) }],
      },
    },
  };
  const credentials = credentialsFor(hostOfImage(image));
  await (
    present
      ? updateDockerService(docker, present.ID, present.Version.Index, spec, credentials, { signal })
      : createDockerService(docker, spec, credentials, { signal })
  ).catch(ignoring('conflict', 'stale'));
  await deleteFilesBut(docker, anyAgentOf(platformId), [(await findAgentService(parts, signal))?.Spec], signal);
}

/**
 * Removes the agents with everything that belongs to them. @returns whether nothing is left: the network stays until
 * the last agent has ended
 */
export async function removeAgents(
  parts: Pick<AgentParts, 'docker' | 'platformId'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { docker, platformId } = parts;
  const present = await findAgentService(parts, signal);
  if (present) await deleteDockerService(docker, present.ID, { signal }).catch(ignoring('not found'));
  await deleteFilesBut(docker, anyAgentOf(platformId), [], signal);
  const networks = await listDockerNetworks(docker, anyAgentOf(platformId), { signal });
  await Promise.all(
    networks.map(({ Id: id }) =>
      deleteDockerNetwork(docker, id, { signal }).catch(ignoring('not found', 'refused', 'failed')),
    ),
  );
  const left = await Promise.all([
    listDockerNetworks(docker, anyAgentOf(platformId), { signal }),
    listDockerSecrets(docker, anyAgentOf(platformId), { signal }),
    listDockerConfigs(docker, anyAgentOf(platformId), { signal }),
  ]);
  return left.every((each) => each.length === 0);
}
