import { colored, digest, disclaimer, type Scene, type Script, slug } from './script.ts';

const bootLines: Readonly<Record<string, readonly string[]>> = {
  POSTGRESQL: [
    'The files belonging to this database system will be owned by user "postgres".',
    'PostgreSQL init process complete; ready for start up.',
    'LOG:  starting PostgreSQL',
    'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
    'LOG:  database system is ready to accept connections',
  ],
  MYSQL: [
    '[System] [MY-010116] [Server] /usr/sbin/mysqld starting as process 1',
    '[System] [MY-013576] [InnoDB] InnoDB initialization has started.',
    '[System] [MY-010931] [Server] /usr/sbin/mysqld: ready for connections. port: 3306',
  ],
  MONGODB: [
    '{"s":"I","c":"CONTROL","msg":"MongoDB starting","attr":{"port":27017}}',
    '{"s":"I","c":"NETWORK","msg":"Waiting for connections","attr":{"port":27017}}',
  ],
  REDIS: ['1:C oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo', '1:M * Running mode=standalone, port=6379.', '1:M * Ready to accept connections tcp'],
};

/** A database brought up, on the cluster or as a managed one. */
export function databaseScript({ task, seconds }: Scene): Script {
  const { service } = task;
  if (service.kind !== 'database') return { seconds, lines: [] };
  const { type, version, mode, storage } = service.spec;
  const place = mode === 'MANAGED'
    ? ['Requesting a managed instance', `Instance db-${digest(service.id, 10)} is creating`, `Instance db-${digest(service.id, 10)} is available`]
    : [`Volume of ${storage} GB bound`, `Started ${slug(service.name)}-0`, ...(bootLines[type] ?? [])];
  return {
    seconds,
    lines: [disclaimer, `Deploying ${type} ${version} (${mode}), ${storage} GB`, ...place, colored.green(`${service.name} accepts connections`)],
  };
}
