import { between, colored, type PhaseContext, slug } from './phase-context.ts';
import type { Language } from './simulation-context.ts';

/** The log messages of programs in one language. Some messages have several lines. */
export interface LogTemplates {
  /** Every start, including harmless warnings. */
  readonly boot: (context: PhaseContext) => readonly string[];
  /** The exit of a program with a missing variable. */
  readonly variableMissing: (names: readonly string[]) => readonly string[];
  /** Attempts to reach a database that doesn't respond, and the exit. */
  readonly databaseDown: (host: string, address: string, port: number) => readonly string[];
  /** The exit of a program whose configured host doesn't exist. */
  readonly hostUnknown: (host: string) => readonly string[];
  /** The exit of a program whose database has an outdated schema. */
  readonly schemaBehind: (has: string, needs: string) => readonly string[];
  /** The last messages before memory runs out. */
  readonly memoryShort: (megabytes: number, random: PhaseContext['random']) => readonly string[];
  /** The program listens for requests. */
  readonly listening: (port: number) => string;
}

const info = colored.cyan('INFO');
const warn = colored.yellow('WARN');

const node: LogTemplates = {
  boot: ({ task, version, random }) => [
    `> ${slug(task.service.name)}@${version} start\n> node --enable-source-maps dist/main.js\n`,
    '(node:1) [DEP0040] DeprecationWarning: The `punycode` module is deprecated. Please use a userland alternative instead.\n(Use `node --trace-deprecation ...` to show where the warning was created)',
    `${info} {"pid":1,"heapLimitMb":${between(random, 2, 6) * 128}} starting`,
    `${warn} telemetry: no exporter configured, traces are dropped`,
  ],
  variableMissing: ([name, ...others]) => [
    [
      '/app/dist/config.js:27',
      `        throw new ConfigurationError(\`\${key} is not set\`);`,
      '              ^',
      '',
      `ConfigurationError: ${name} is not set`,
      '    at required (/app/dist/config.js:27:15)',
      '    at Object.load (/app/dist/config.js:58:18)',
      '    at bootstrap (/app/dist/main.js:14:29)',
      '    at Module._compile (node:internal/modules/cjs/loader:1554:14)',
      '    at node:internal/main/run_main_module:36:49 {',
      `  missing: [ ${[name, ...others].map((each) => `'${each}'`).join(', ')} ]`,
      '}',
    ].join('\n'),
    '\nNode.js v22.14.0',
  ],
  databaseDown: (host, address, port) => [
    `${warn} database: connection to ${host} failed, trying again in 1s (1/3)`,
    `${warn} database: connection to ${host} failed, trying again in 2s (2/3)`,
    `${warn} database: connection to ${host} failed, giving up (3/3)`,
    `AggregateError [ECONNREFUSED]: \n    at internalConnectMultiple (node:net:1139:18)\n    at afterConnectMultiple (node:net:1712:7) {\n  code: 'ECONNREFUSED',\n  [errors]: [\n    Error: connect ECONNREFUSED ${address}:${port}\n        at createConnectionError (node:net:1675:14) {\n      errno: -111,\n      code: 'ECONNREFUSED',\n      syscall: 'connect',\n      address: '${address}',\n      port: ${port}\n    }\n  ]\n}`,
    '\nNode.js v22.14.0',
  ],
  hostUnknown: (host) => [
    `${warn} queue: ${host} can't be reached, trying again (1/5)`,
    `${warn} queue: ${host} can't be reached, trying again (5/5)`,
    `Error: getaddrinfo ENOTFOUND ${host}\n    at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26)\n    at GetAddrInfoReqWrap.callbackTrampoline (node:internal/async_hooks:130:17) {\n  errno: -3008,\n  code: 'ENOTFOUND',\n  syscall: 'getaddrinfo',\n  hostname: '${host}'\n}`,
    '\nNode.js v22.14.0',
  ],
  schemaBehind: (has, needs) => [
    `${info} schema: version in the database is ${has}, this build expects ${needs}`,
    `SchemaMismatchError: refusing to start on schema ${has}\n    at assertSchema (/app/dist/db/schema.js:33:11)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)\n    at async bootstrap (/app/dist/main.js:22:5)`,
    '\nNode.js v22.14.0',
  ],
  memoryShort: (megabytes, random) => [
    `${info} preloading catalogue`,
    [
      '',
      '<--- Last few GCs --->',
      '',
      `[1:0x7f5c2c000]    ${between(random, 3800, 4200)} ms: Mark-Compact ${megabytes - 9}.4 (${megabytes + 3}.1) -> ${megabytes - 11}.0 (${megabytes + 3}.6) MB, pooled: 0 MB, 412.65 / 0.00 ms  (average mu = 0.094, current mu = 0.011) allocation failure; scavenge might not succeed`,
    ].join('\n'),
  ],
  listening: (port) => `${info} server listening at http://0.0.0.0:${port}`,
};

const python: LogTemplates = {
  boot: () => [
    `${colored.green('INFO')}  gunicorn.error  Starting gunicorn 23.0.0`,
    '/usr/local/lib/python3.12/site-packages/google/rpc/__init__.py:20: UserWarning: pkg_resources is deprecated as an API.\n  import pkg_resources',
    'INFO  gunicorn.error  Booting worker with pid: 9',
    'WARNING  app.cache  CACHE_URL not given, falling back to a cache in memory',
  ],
  variableMissing: ([name]) => [
    [
      'ERROR  gunicorn.error  Exception in worker process',
      'Traceback (most recent call last):',
      '  File "/usr/local/lib/python3.12/site-packages/gunicorn/arbiter.py", line 608, in spawn_worker',
      '    worker.init_process()',
      '  File "/app/app/__init__.py", line 9, in <module>',
      '    settings = Settings.from_environment()',
      '  File "/app/app/settings.py", line 41, in from_environment',
      `    value = os.environ["${name}"]`,
      '            ~~~~~~~~~~^^^^^^^^^^^^^^^^',
      '  File "<frozen os>", line 714, in __getitem__',
      `KeyError: '${name}'`,
    ].join('\n'),
    'ERROR  gunicorn.error  Worker failed to boot.',
  ],
  databaseDown: (host, address, port) => [
    `INFO  app.db  connecting to ${host} as ledger`,
    [
      'ERROR  gunicorn.error  Exception in worker process',
      'Traceback (most recent call last):',
      '  File "/usr/local/lib/python3.12/site-packages/sqlalchemy/engine/base.py", line 143, in __init__',
      '    self._dbapi_connection = engine.raw_connection()',
      '                             ^^^^^^^^^^^^^^^^^^^^^^^',
      '  File "/usr/local/lib/python3.12/site-packages/psycopg/connection.py", line 119, in connect',
      '    raise last_ex.with_traceback(None)',
      `psycopg.OperationalError: connection failed: connection to server at "${address}", port ${port} failed: Connection refused`,
      '\tIs the server running on that host and accepting TCP/IP connections?',
      '',
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
      '  File "/app/app/__init__.py", line 22, in create_app',
      '    db.verify_connection()',
      'sqlalchemy.exc.OperationalError: (psycopg.OperationalError) connection failed',
      '(Background on this error at: https://sqlalche.me/e/20/e3q8)',
    ].join('\n'),
    'ERROR  gunicorn.error  Worker (pid:9) exited with code 3',
    'ERROR  gunicorn.error  Reason: Worker failed to boot.',
  ],
  hostUnknown: (host) => [
    `Traceback (most recent call last):\n  File "/app/app/__init__.py", line 26, in create_app\n    queue.connect()\n  File "/usr/local/lib/python3.12/socket.py", line 978, in getaddrinfo\n    for res in _socket.getaddrinfo(host, port, family, type, proto, flags):\nsocket.gaierror: [Errno -2] Name or service not known: '${host}'`,
    'ERROR  gunicorn.error  Worker failed to boot.',
  ],
  schemaBehind: (has, needs) => [
    `Traceback (most recent call last):\n  File "/app/app/__init__.py", line 31, in create_app\n    migrations.require("${needs}")\n  File "/app/app/migrations.py", line 18, in require\n    raise SchemaOutdated(found, wanted)\napp.migrations.SchemaOutdated: database is at revision ${has}, code wants ${needs}`,
    'ERROR  gunicorn.error  Worker failed to boot.',
  ],
  memoryShort: (megabytes) => [
    'INFO  app.model  loading weights, mmap disabled',
    `WARNING  app.model  resident set ${megabytes - 12} MB and growing`,
    'ERROR  gunicorn.error  Worker (pid:9) was sent SIGKILL! Perhaps out of memory?',
  ],
  listening: (port) => `INFO  gunicorn.error  Listening at: http://0.0.0.0:${port} (1)`,
};

const java: LogTemplates = {
  boot: ({ task, version, random }) => [
    'Picked up JAVA_TOOL_OPTIONS: -XX:+ExitOnOutOfMemoryError -Djava.security.egd=file:/dev/./urandom',
    'WARNING: A terminally deprecated method in sun.misc.Unsafe has been called\nWARNING: sun.misc.Unsafe::objectFieldOffset will be removed in a future release',
    ` INFO 1 --- [           main] Application : Starting ${slug(task.service.name)} ${version} using Java 21.0.6 with PID 1`,
    ` WARN 1 --- [           main] .s.c.DelegatingConfigChecker : Property 'spring.jpa.open-in-view' is left at its default, database queries may run during rendering`,
    ` INFO 1 --- [           main] HikariDataSource : pool-1 - Starting...`,
    ` INFO 1 --- [           main] Application : ${between(random, 180, 420)} beans in ${between(random, 4, 9)}.${between(random, 100, 999)} s`,
  ],
  variableMissing: ([name]) => [
    [
      'ERROR 1 --- [           main] o.s.boot.SpringApplication : Application run failed',
      `java.lang.IllegalArgumentException: Could not resolve placeholder '${name}' in value "\${${name}}"`,
      '\tat org.springframework.util.PropertyPlaceholderHelper.parseStringValue(PropertyPlaceholderHelper.java:180)',
      '\tat org.springframework.context.support.AbstractApplicationContext.refresh(AbstractApplicationContext.java:624)',
      '\t... 23 common frames omitted',
    ].join('\n'),
  ],
  databaseDown: (host, _, port) => [
    [
      'ERROR 1 --- [           main] HikariPool : pool-1 - Exception during pool initialization.',
      `org.postgresql.util.PSQLException: Connection to ${host}:${port} refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP connections.`,
      '\tat org.postgresql.core.v3.ConnectionFactoryImpl.openConnectionImpl(ConnectionFactoryImpl.java:352)',
      'Caused by: java.net.ConnectException: Connection refused',
      '\t... 41 common frames omitted',
    ].join('\n'),
  ],
  hostUnknown: (host) => [
    `ERROR 1 --- [           main] o.s.boot.SpringApplication : Application run failed\njava.net.UnknownHostException: ${host}: Name or service not known\n\tat java.base/java.net.InetAddress.getAllByName(InetAddress.java:1658)\n\t... 38 common frames omitted`,
  ],
  schemaBehind: (has, needs) => [
    [
      'ERROR 1 --- [           main] o.s.boot.SpringApplication : Application run failed',
      `com.acme.ledger.schema.SchemaVersionException: schema is ${has}, required ${needs}`,
      '\tat com.acme.ledger.schema.SchemaGuard.check(SchemaGuard.java:47)',
      '\tat com.acme.ledger.Application.main(Application.java:19)',
    ].join('\n'),
  ],
  memoryShort: (megabytes, random) => [
    ` INFO 1 --- [           main] c.a.index.Warmup : building index in memory, ${between(random, 60, 90)}%`,
    `[${between(random, 11, 19)}.${between(random, 100, 999)}s][warning][gc] GC(${between(random, 31, 64)}) Pause Full (G1 Compaction Pause) ${Math.floor(megabytes * 0.74)}M->${Math.floor(megabytes * 0.73)}M(${Math.floor(megabytes * 0.75)}M) ${between(random, 380, 900)}.114ms`,
    ` WARN 1 --- [l-1 housekeeper] HikariPool : pool-1 - Thread starvation or clock leap detected (housekeeper delta=${between(random, 48, 71)}s114ms).`,
  ],
  listening: (port) =>
    ` INFO 1 --- [           main] o.s.b.w.embedded.tomcat.TomcatWebServer : Tomcat started on port ${port} (http) with context path '/'`,
};

/** The log templates of each language. */
export const logTemplates: Readonly<Record<Language, LogTemplates>> = { node, python, java };
