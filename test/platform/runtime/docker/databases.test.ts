import { describe, expect, test } from 'vitest';
import type { ServiceToRun } from '../../../../src/platform/runtime/index.ts';
import {
  databaseImage,
  databaseVariables,
  databaseWorkload,
} from '../../../../src/platform/runtime/docker/databases/databases.ts';

type Database = Extract<ServiceToRun, { kind: 'database' }>;
type Type = Database['spec']['type'];

const database = (type: Type, version: string): Database => ({
  kind: 'database',
  id: '5f0c3c1e-7d1a-4c58-9a55-0d3c6c0a5b11',
  name: 'db',
  environmentId: 'e',
  spec: { type, version, mode: 'CONTAINER', cpu: 250, memory: 512, storage: 10, accessibility: 'PRIVATE' },
});
const credentials = { name: 'main', user: 'admin', password: 'not-to-be-seen' };

describe('the image of a database', () => {
  const images = {
    postgresql: 'registry.example.com:5000/team/postgres',
    'postgresql:16': 'registry.example.com/pinned:16.4',
    redis: '127.0.0.1:5000/redis',
  };
  test.each([
    ['MYSQL', '8.4', { host: 'docker.io', repository: 'library/mysql', tag: '8.4' }],
    ['MONGODB', '7', { host: 'docker.io', repository: 'library/mongo', tag: '7' }],
    ['POSTGRESQL', '15', { host: 'registry.example.com:5000', repository: 'team/postgres', tag: '15' }],
    ['POSTGRESQL', '16', { host: 'registry.example.com', repository: 'pinned', tag: '16.4' }],
    ['REDIS', '7.2-alpine', { host: '127.0.0.1:5000', repository: 'redis', tag: '7.2-alpine' }],
  ] as const)('%s %s', (type, version, expected) => {
    expect(databaseImage(database(type, version).spec, images)).toEqual(expected);
  });
});

test.each([
  [
    'POSTGRESQL',
    '17',
    '/var/lib/postgresql/data',
    [
      'POSTGRES_DB=main',
      'POSTGRES_USER=admin',
      'POSTGRES_PASSWORD_FILE=/run/secrets/infra-database',
      'PGDATA=/var/lib/postgresql/data/pgdata',
    ],
  ],
  [
    'POSTGRESQL',
    '18.1',
    '/var/lib/postgresql',
    [
      'POSTGRES_DB=main',
      'POSTGRES_USER=admin',
      'POSTGRES_PASSWORD_FILE=/run/secrets/infra-database',
      'PGDATA=/var/lib/postgresql/pgdata',
    ],
  ],
  [
    'MYSQL',
    '8.4',
    '/var/lib/mysql',
    [
      'MYSQL_DATABASE=main',
      'MYSQL_USER=admin',
      'MYSQL_PASSWORD_FILE=/run/secrets/infra-database',
      'MYSQL_ROOT_PASSWORD_FILE=/run/secrets/infra-database',
      'MYSQL_ROOT_HOST=localhost',
    ],
  ],
  [
    'MONGODB',
    '7',
    '/data/db',
    [
      'MONGO_INITDB_DATABASE=main',
      'MONGO_INITDB_ROOT_USERNAME=admin',
      'MONGO_INITDB_ROOT_PASSWORD_FILE=/run/secrets/infra-database',
    ],
  ],
  ['REDIS', '7.2', '/data', []],
] as const)('%s %s is set up with the password as a secret file only', (type, version, mountPoint, variables) => {
  const service = database(type, version);
  const all = databaseVariables(service, credentials);
  expect(databaseWorkload(service).storage).toMatchObject([{ mount_point: mountPoint }]);
  expect(all.filter(({ mountPath }) => mountPath === undefined).map(({ key, value }) => `${key}=${value}`)).toEqual(
    variables,
  );
  const withPassword = all.filter(({ value }) => value.includes(credentials.password));
  expect(withPassword).toMatchObject([{ isSecret: true, mountPath: '/run/secrets/infra-database' }]);
});
