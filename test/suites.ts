import { matchesGlob } from 'node:path';
import type { DebianPackage } from './support/debian-packages.ts';

/** The lists of suites: `landing` protects every change (`.ci/run`), `full` has everything (`.ci/full`). */
export const lists = ['landing', 'full'] as const;
export type List = (typeof lists)[number];

/**
 * The variable that tells suites which list runs them. Without it they run whole. It must not look like an option of
 * infra-mcp.
 */
export const listVariable = 'TEST_LIST';

/** The variable that tells the property tests of a slow suite to try all inputs, where no list runs it. */
export const tryAllVariable = 'TEST_TRIES_ALL';

/** Whether the landing list runs, in which suites make fewer cases. */
export const isLanding = process.env[listVariable] === 'landing';

/** One of the steps by which changes are tested. */
export interface Suite {
  readonly name: string;
  /** The script of package.json that runs it. */
  readonly script: string;
  readonly covers: string;
  /** Patterns of its own test files. A step without any is no suite of vitest. */
  readonly files?: readonly string[];
  /** Patterns of files of other suites that it runs in another way. */
  readonly alsoRuns?: Readonly<Record<List, readonly string[]>>;
  /** What of it runs before every landing. */
  readonly landing:
    | 'all'
    | 'nothing'
    | {
        /** Patterns of its own files that only the full list runs. */
        readonly without?: readonly string[];
        /** What else it makes less of, in words. */
        readonly fewer?: string;
      };
  /**
   * About how many minutes it takes on two cores, as a part of a whole run of the list, beside other load. Left out where nobody
   * measured.
   */
  readonly minutes?: Partial<Record<List, number>>;
  /** When somebody should run it whole. */
  readonly byHand: string;
  readonly needs?: readonly DebianPackage[];
}

/**
 * What of the docker suite only the full list runs: what kills engines, hosts and platforms, needs several machines, or
 * looks at one subject from close up.
 */
const onlyInFullOfDocker = [
  'agents',
  'certificates',
  'conformance',
  'console-measurements',
  'database-backups',
  'diagnosis',
  'doctor',
  'api/{connection,containers,images,swarm-objects}',
  'failing-hosts',
  'first-steps',
  'grpc-and-web-sockets',
  'hosts',
  'job-runs',
  'killed-builds',
  'killed-engine',
  'killed-jobs',
  'killed-platform',
  'left-links',
  'managers',
  'measurements',
  'node-placement',
  'own-registry',
  'private-sources',
  'programs',
  'registry-on-nodes',
  'rollouts-and-nodes',
  'running-services',
  'soak',
  'systemd',
  'terraform',
  'uninstalling',
].map((name) => `test/docker/${name}.test.ts`);

/**
 * What of the thorough suite only the full list runs: what starts a program for every case, goes through every width,
 * client, size or commit, or has a smaller test of its subject in the landing list.
 */
const onlyInFullOfThorough = [
  'test/docs/commands.test.ts',
  'test/telemetry/command.test.ts',
  'test/eval/**/*.test.ts',
  'test/parity/**/*.test.ts',
  'test/bench/bench.test.ts',
  'test/demo.test.ts',
  'test/pictures.test.ts',
  'test/cli/{widths,terminal,init,init-files,embedded,scenario,doctor,doctor-platform,doctor-other-platform}.test.ts',
  'test/cli/{full-restore,words-of-files,interrupted,taken-port,malformed-messages,approvals-webhook,systemd}.test.ts',
  'test/shipping/{chart,container,examples,kubernetes,lists,output-directory}.test.ts',
  'test/platform/api/arbitrary-json.test.ts',
  'test/platform/runtime/docker/{probe,programs}.test.ts',
  'test/platform/runtime/docker/git/{commit-reach,fetch-commit}.test.ts',
  'test/platform/testing/control/{time,restore-killed}.test.ts',
  'test/server/redaction/{in-pieces,long-runs,masking-cost,recognition-time}.test.ts',
];

/** What of the end-to-end suite only the full list runs: every tool with every kind of caller, place or answer. */
const onlyInFullOfE2e = [
  'test/e2e/altered-answers-thorough.test.ts',
  'test/e2e/guard/{decision-table,denied-reads}.test.ts',
  'test/transport/odd-names.test.ts',
];

/** The tests of what servers share, which run on PostgreSQL too. */
const sharedByServers = [
  'test/server/guard/{clock,high-risk-calls,shared-answers}.test.ts',
  'test/server/guard/storage/{store,processes}.test.ts',
  'test/server/guard/approvals/{approvals,call-states,named-operators}.test.ts',
  'test/server/audit/anchors.test.ts',
];

/**
 * The end-to-end tests that `npm test` has, by folder: agreement and its refusals, and who may call. What every tool
 * answers is in `test/tools/outputs.test.ts`.
 */
export const endToEndInFast: Readonly<Record<string, readonly string[]>> = {
  'test/e2e': [
    'failure-codes',
    'foreign-platform',
    'stored-secrets',
    'refused-addresses',
    'deployment-outcomes',
    'confirmation',
  ],
  'test/transport': [
    'oauth',
    'attacks',
    'protocol-versions',
    'keys',
    'bind',
    'concurrency-limiter',
    'approvals-times',
    'holder',
    'health',
    'platform-tokens',
  ],
};

const forDocker = [
  'docker.io',
  'docker-registry',
  'busybox-static',
  'git',
  'caddy',
  'prometheus',
  'postgresql-15',
  'redis-tools',
  'iproute2',
  'openssl',
  'openssh-client',
  'openssh-server',
  'systemd',
] as const;

/** Every suite, in the order of the table. */
export const suites: readonly Suite[] = [
  {
    name: 'check',
    script: 'check',
    covers: 'format, types, style, unused code',
    landing: 'all',
    minutes: { landing: 0.5, full: 0.8 },
    byHand: 'before every commit',
  },
  {
    name: 'fast',
    script: 'test',
    covers: 'the fast tests: everything that no suite below has',
    files: ['test/**/*.test.ts'],
    landing: 'all',
    minutes: { landing: 0.7, full: 0.7 },
    byHand: 'before every commit',
    needs: ['git', 'openssl'],
  },
  {
    name: 'e2e',
    script: 'test:e2e',
    covers: 'what an assistant gets: clients over both transports against a platform',
    files: Object.entries(endToEndInFast).map(([folder, names]) => `${folder}/**/!(${names.join('|')}).test.ts`),
    landing: {
      without: onlyInFullOfE2e,
      fewer: 'what every tool does with names and repeated arguments for every fifth; one policy of each kind',
    },
    minutes: { landing: 8.5, full: 14 },
    byHand: 'when you change a tool, the guard or a transport',
  },
  {
    name: 'thorough',
    script: 'test:thorough',
    landing: {
      without: onlyInFullOfThorough,
      fewer:
        'fewer inputs of property tests and moments of a crash, and of the options of `platform` and `control` those that find most',
    },
    minutes: { landing: 6.5, full: 22 },
    byHand: 'when you touch one of its files, or the command line',
    covers:
      "what starts whole programs, goes through everything there is, tries many inputs, or keeps the platform's control",
    needs: [
      'zsh',
      'fish',
      'bsdutils',
      'systemd',
      'git',
      'gcc-x86-64-linux-gnu',
      'gcc-aarch64-linux-gnu',
      'qemu-user-static',
    ],
    files: [
      'test/cli/**/*.test.ts',
      'test/docs/commands.test.ts',
      'test/bin.test.ts',
      'test/reports/{home-without-a-disk,tool-limits-of-clients}.test.ts',
      'test/telemetry/{command,traces}.test.ts',
      'test/shipping/**/*.test.ts',
      'test/demo.test.ts',
      'test/pictures.test.ts',
      'test/parity/**/*.test.ts',
      'test/eval/**/*.test.ts',
      'test/bench/bench.test.ts',
      'test/platform/testing/{scenarios,scenarios-in-a-directory}.test.ts',
      'test/platform/testing/control/**/*.test.ts',
      'test/platform/api/{arbitrary-json,documented-answers,events,operations}.test.ts',
      // Resources outside of the document, from their creation to their deletion.
      'test/platform/api/{alert-receivers,created-services,deployment-windows,environment-ends,job-runs,people-lives,place-lives,registries}.test.ts',
      'test/platform/engine/{crash,fencing,model,observations,timetable}.test.ts',
      'test/platform/store/{conversion,killed-conversion,old-directories}.test.ts',
      'test/platform/conditions-to-diagnosis.test.ts',
      'test/platform/runtime/docker/{probe,probe-checks,probes,entrypoint,programs,send-request,remove-links,linked-credentials,agent/relay,doctor/engine-findings}.test.ts',
      'test/platform/runtime/docker/git/{commit-reach,fetch-commit}.test.ts',
      'test/analysis/patterns.test.ts',
      'test/client/any-answer.test.ts',
      'test/tools/{find-resource,reads,organization-overview}.test.ts',
      'test/server/audit/cut-off.test.ts',
      'test/views/pages.test.ts',
      'test/server/guard/visible-events.test.ts',
      'test/server/guard/approvals/**/*.test.ts',
      'test/server/guard/storage/{processes,killed-conversion}.test.ts',
      'test/server/redaction/{in-pieces,long-runs,masking-cost,recognition-time}.test.ts',
      'test/server/call/{stage-failures,stages-of-every-tool}.test.ts',
    ],
  },
  {
    name: 'attacks',
    script: 'test:attacks',
    covers: 'hostile platforms and callers against every tool, over both transports and protocol revisions',
    files: ['test/attacks/**/*.test.ts'],
    landing: { fewer: 'most attacks by one kind of client on every tool, ten tools by the other three' },
    minutes: { landing: 2.1, full: 3.7 },
    byHand: 'when you change the guard, redaction or a transport',
  },
  {
    name: 'foreign',
    script: 'test:foreign',
    covers: 'every tool and resource against another platform of the family, with each way in which it may differ',
    files: ['test/{foreign,other-platform}/**/*.test.ts'],
    landing: { fewer: 'every call with no difference and with all; with each by itself, the calls that it touches' },
    minutes: { landing: 3.8, full: 4.6 },
    byHand: 'when you change the client, how answers are read, or the other platform of the tests',
  },
  {
    name: 'postgres',
    script: 'test:postgres',
    covers:
      "the platform's tests, and those of what servers share, with records in PostgreSQL, and what is particular to that",
    files: ['test/postgres/on-server/**/*.test.ts'],
    alsoRuns: {
      landing: [
        'test/platform/store/**/*.test.ts',
        'test/platform/engine/{deletions,retention}.test.ts',
        'test/platform/api/{slow-runtime,tokens}.test.ts',
        ...sharedByServers,
      ],
      full: ['test/platform/{api,engine,seed,store,testing}/**/*.test.ts', ...sharedByServers],
    },
    landing: {
      without: ['test/postgres/on-server/concurrent/requests.test.ts'],
      fewer: "of the platform's tests those that know which database there is",
    },
    minutes: { landing: 3.7, full: 11 },
    byHand: 'when you change what is stored, or a query',
    needs: ['postgresql-15'],
  },
  {
    name: 'fleet',
    script: 'test:fleet',
    covers: 'several platforms and servers on one PostgreSQL, under load, behind proxies, while parts of them fail',
    files: ['test/fleet/**/*.test.ts'],
    landing: {
      without: [
        'test/fleet/{platforms-failing,platforms-many,servers-many-clients,servers-upgrade}.test.ts',
        'test/fleet/platforms/{doctor,dumps,rolling-upgrade}.test.ts',
      ],
      fewer:
        'one kind of proxy, one moment of each kind at which something is stopped, no migration that is interrupted',
    },
    minutes: { landing: 5, full: 17 },
    byHand: 'when you change what several platforms or servers share',
    needs: ['postgresql-15', 'haproxy', 'caddy'],
  },
  {
    name: 'conformance',
    script: 'conformance',
    covers: 'the MCP conformance suite, both revisions',
    landing: 'all',
    minutes: { landing: 0.3, full: 0.3 },
    byHand: 'when you change the protocol or a transport',
  },
  {
    name: 'inspect',
    script: 'inspect',
    covers: 'the tools as the MCP Inspector sees them',
    landing: 'all',
    minutes: { landing: 0.1, full: 0.1 },
    byHand: 'when you change a schema',
  },
  {
    name: 'browser',
    script: 'test:browser',
    covers:
      'the approvals page, the console and the views of results in a browser: what they do, how they look in several widths and both colour schemes, and whether everybody can use them; and which pages of other origins may use a server',
    files: ['test/browser/**/*.test.ts'],
    landing: { without: ['test/browser/{readme-picture,approvals-look,views-look,console-look}.test.ts'] },
    minutes: { landing: 1.8, full: 2.3 },
    byHand: 'when you change the approvals page, the console or a view',
    needs: ['chromium', 'fonts-dejavu-core'],
  },
  {
    name: 'build',
    script: 'build',
    covers: 'what is shipped',
    landing: 'all',
    minutes: { landing: 0.1, full: 0.1 },
    byHand: 'when you change `scripts/build/`',
  },
  {
    name: 'demo',
    script: 'demo',
    covers: 'the demo in a terminal',
    landing: 'all',
    minutes: { landing: 0.2, full: 0.2 },
    byHand: 'when you change the demo',
  },
  {
    name: 'docs',
    script: 'docs:check',
    covers: 'whether the generated pages and manifests are current',
    landing: 'all',
    minutes: { landing: 0.1, full: 0.1 },
    byHand: 'before every commit',
  },
  {
    name: 'docker',
    script: 'test:docker',
    covers:
      'the client of Docker engines, and what runs on them, with engines in namespaces of their own; needs root on Linux',
    files: ['test/docker/**/*.test.ts'],
    landing: {
      without: onlyInFullOfDocker,
      fewer: 'of each other file the cases that find most; the others skip themselves there',
    },
    minutes: { landing: 5.6, full: 34 },
    byHand: 'when you change the Docker runtime; at least the files of what you change',
    needs: [...forDocker, 'chromium', 'fonts-dejavu-core'],
  },
  {
    name: 'slow',
    script: 'test:slow',
    covers: 'crashes, load, packaging, and the README followed with an old Node',
    files: ['test/slow/**/*.test.ts'],
    landing: {
      without: ['test/slow/{engine-crash,http-soak,readme,release,restore-killed}.test.ts'],
      fewer: 'each task once, on a platform that is far away',
    },
    minutes: { landing: 4.5, full: 5.6 },
    byHand: 'when you change storage, packaging or the README',
    needs: ['git'],
  },
  {
    name: 'contributing',
    script: 'test:contributing',
    covers: 'the worked examples of this page, each on a copy of the repository',
    files: ['test/contributing/**/*.test.ts'],
    landing: 'nothing',
    minutes: { full: 3.2 },
    byHand: 'when you change a line that an example refers to',
    needs: ['git'],
  },
  {
    name: 'newer-engine',
    script: 'test:newer-engine',
    covers:
      'three files of the docker suite once more, with the engine of Debian 13, in a root file system that it makes with `debootstrap` and removes',
    landing: 'nothing',
    minutes: { full: 4.5 },
    byHand: 'when you change what is asked of Docker engines',
    needs: [...forDocker, 'debootstrap'],
  },
  {
    name: 'clients',
    script: 'test:clients',
    covers: 'MCP clients made by others, which it installs from the package registry, 600 MB in all',
    files: ['test/clients/**/*.test.ts'],
    landing: 'nothing',
    minutes: { full: 4.6 },
    byHand:
      'when you change a transport, what clients are told, or how calls are agreed to; with newer versions before a release',
  },
];

const matches = (file: string, patterns: readonly string[] = []): boolean =>
  patterns.some((pattern) => matchesGlob(file, pattern));

/** The suite that has every file which no other has. */
export const fastSuite = suites.find(({ name }) => name === 'fast')!;

const named = suites.filter((suite) => suite !== fastSuite && suite.files !== undefined);

/** The suite with this name, as vitest has it for its mode; without one the fast tests run. */
export const suiteOfMode = (mode: string): Suite => named.find(({ name }) => name === mode) ?? fastSuite;

/** The suites to which a test file belongs. It has to be one. */
export function suitesOf(file: string): readonly Suite[] {
  const own = named.filter(({ files }) => matches(file, files));
  return own.length === 0 && matches(file, fastSuite.files) ? [fastSuite] : own;
}

/** Patterns of a suite's own files that a list leaves out. */
export const leftOutOf = ({ landing }: Suite, list: List): readonly string[] =>
  list === 'landing' && typeof landing === 'object' ? (landing.without ?? []) : [];

/** The patterns of test files that a suite runs in a list, and of those among them that it doesn't. */
export function filesOf(
  suite: Suite,
  list: List,
): { readonly include: readonly string[]; readonly exclude: readonly string[] } {
  const ofOthers = suite === fastSuite ? named.flatMap(({ files }) => files ?? []) : [];
  return {
    include: [...(suite.files ?? []), ...(suite.alsoRuns?.[list] ?? [])],
    exclude: [...ofOthers, ...leftOutOf(suite, list)],
  };
}

/** The suites of a list, in their order. */
export const suitesIn = (list: List): readonly Suite[] =>
  suites.filter(({ landing }) => list === 'full' || landing !== 'nothing');
