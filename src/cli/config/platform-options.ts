import * as z from 'zod';
import { optional, path, withDefault, textMatching, anyText, booleanText } from './fields.ts';

/** A domain name under which services get their addresses. */
export const domainPattern =
  /^(?=[^]{1,150}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/** The default domain of public addresses. */
export const defaultDomain = 'localhost';

/** Options for the Docker engine that services run on. */
export const engineOptions = {
  engine: withDefault(anyText, 'unix:///var/run/docker.sock', {
    env: 'INFRA_ENGINE',
    foreignEnv: 'DOCKER_HOST',
    value: 'address',
    commands: ['platform', 'doctor platform', 'database', 'node'],
    description:
      'Address of a Docker engine: `unix://` and the path of its socket, or `tcp://host:port`, but not `ssh://`. Whoever may use an engine is root on its host.',
    fallback: 'DOCKER_HOST if it is set, else unix:///var/run/docker.sock',
  }),
  engineTlsDir: optional(path, {
    env: 'INFRA_ENGINE_TLS_DIR',
    value: 'path',
    commands: ['platform', 'doctor platform', 'database', 'node'],
    description:
      'Directory with ca.pem, cert.pem and key.pem for an engine at `tcp://`. Required unless it is on this machine.',
  }),
  domain: withDefault(
    textMatching('a domain name such as apps.example.com, without scheme and port', (value) =>
      domainPattern.test(value),
    ),
    defaultDomain,
    {
      env: 'INFRA_DOMAIN',
      value: 'name',
      commands: ['platform', 'doctor platform'],
      description:
        'Domain below which services get their public addresses. Name servers have to give the address of the machine for `*.` and this domain. Below `localhost` only the machine itself reaches them.',
    },
  ),
  registry: optional(
    textMatching('the host of a registry, with its port if it has one, such as registry.example.com:5000', (value) =>
      /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/i.test(value),
    ),
    {
      env: 'INFRA_REGISTRY',
      value: 'host',
      commands: ['doctor platform'],
      description:
        'Host of the registry for built images, with its port. Required for engines of several machines. A clusters file has its own.',
      fallback: 'none: images stay on the engine that built them',
    },
  ),
};

const isMoment = (value: string): boolean =>
  value === 'now' || z.iso.datetime({ offset: true }).safeParse(value).success;

/** A point in time, parsed to milliseconds since 1970. */
const moment = () =>
  textMatching('now, or a moment such as 2026-03-01T12:00:00Z', isMoment)().transform((value) =>
    value === 'now' ? Date.now() : Date.parse(value),
  );

/** Options of the platform command for tests. */
export const testingOptions = {
  control: withDefault(booleanText, false, {
    env: 'INFRA_PLATFORM_CONTROL',
    commands: ['platform'],
    description:
      'Enable the test control API for time, faults and snapshots. Its separate token is printed when the platform is ready.',
  }),
  steppedTime: optional(moment, {
    env: 'INFRA_STEPPED_TIME',
    value: 'moment',
    commands: ['platform'],
    description:
      'Stop the clock until a control request advances it. A new data directory starts at this time. Requires --control.',
    fallback: 'real time',
  }),
  randomSeed: optional(anyText, {
    env: 'INFRA_RANDOM_SEED',
    value: 'text',
    commands: ['platform'],
    description: 'Seed for ids and random values, to get the same ones in every new data directory.',
    fallback: 'random values',
  }),
  faultsFile: optional(path, {
    env: 'INFRA_FAULTS_FILE',
    flagName: 'faults',
    value: 'path',
    commands: ['platform'],
    description: 'Fault rules in YAML or JSON that make requests, deployments and upgrades fail.',
  }),
};
