import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { dumpCommands, parseAddress, shownAddress } from '../../src/postgres/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'address-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('the address of a database', () => {
  test('says where it is, and who asks', () => {
    expect(parseAddress('postgres://infra@db.example.com/records')).toMatchObject({
      host: 'db.example.com',
      port: 5432,
      database: 'records',
      user: 'infra',
    });
    expect(parseAddress('postgresql://infra@[::1]:6000/records')).toMatchObject({ host: '::1', port: 6000 });
    expect(parseAddress('postgres://infra@socket/records?host=%2Frun%2Fpostgresql')).toMatchObject({
      host: '/run/postgresql',
    });
  });

  test('has the password in it, or in a file that is read for each connection', () => {
    expect(parseAddress('postgres://infra:p%40ss@localhost/records').password?.()).toBe('p@ss');
    const path = file('password', 'first\n');
    const { password } = parseAddress(`postgres://infra@localhost/records?passwordfile=${path}`);
    expect(password?.()).toBe('first');
    writeFileSync(path, 'second');
    expect(password?.()).toBe('second');
  });

  test('is encrypted, with the certificate checked, unless it is this machine or says otherwise', () => {
    expect(parseAddress('postgres://infra@localhost/records').tls).toBeUndefined();
    expect(parseAddress('postgres://infra@db.example.com/records').tls).toEqual({ rejectUnauthorized: true });
    expect(parseAddress('postgres://infra@db.example.com/records?sslmode=disable').tls).toBeUndefined();
    expect(parseAddress('postgres://infra@db.example.com/records?sslmode=require').tls).toEqual({
      rejectUnauthorized: false,
    });
    const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => file(name, `the ${name}`));
    expect(
      parseAddress(
        `postgres://infra@db.example.com/records?sslmode=verify-full&sslrootcert=${ca}&sslcert=${cert}&sslkey=${key}`,
      ).tls,
    ).toEqual({ rejectUnauthorized: true, ca: 'the ca', cert: 'the cert', key: 'the key' });
    const { tls } = parseAddress(`postgres://infra@db.example.com/records?sslmode=verify-ca&sslrootcert=${ca}`);
    expect(tls).toMatchObject({ rejectUnauthorized: true, ca: 'the ca' });
    expect(tls?.checkServerIdentity?.('other', {} as never)).toBeUndefined();
  });

  test.each([
    ['mysql://infra@localhost/records', 'no postgres:// address'],
    ['nonsense', 'no postgres:// address'],
    ['postgres://infra@localhost', 'names no database'],
    ['postgres://localhost/records', 'names no user'],
    ['postgres:///records?host=', 'names no host'],
    [
      'postgres://infra@localhost/records?sslmode=prefer',
      'sslmode is prefer; use one of disable, require, verify-ca, verify-full',
    ],
    ['postgres://infra@localhost/records?pool=3', 'the parameter pool; known are'],
    ['postgres://infra:secret@localhost/records?passwordfile=/tmp/x', 'a password and a passwordfile'],
    [
      'postgres://infra@localhost/records?passwordfile=/nowhere/at/all',
      "/nowhere/at/all, which can't be read (ENOENT: there is no such file)",
    ],
    [
      'postgres://infra@localhost/records?sslmode=verify-full&sslrootcert=/nowhere/at/all',
      'sslrootcert names the file /nowhere/at/all',
    ],
  ])('that is wrong is refused with the reason: %s', (text, reason) => {
    expect(() => parseAddress(text)).toThrow(reason);
    expect(() => parseAddress(text)).toThrow(expect.not.stringContaining('secret'));
  });

  test('is shown without the password', () => {
    expect(shownAddress(parseAddress('postgres://infra:secret@localhost/records'))).toBe(
      'infra@localhost:5432/records',
    );
  });

  test.each([
    ['postgres://infra:secret@db.example.com/records', 'postgres://infra@db.example.com/records?sslmode=verify-full'],
    ["postgresql://infra:secret@localhost:5433/it's", "postgresql://infra@localhost:5433/it'\\''s?sslmode=disable"],
    [
      'postgres://infra@socket/records?host=/var/run/postgresql&sslmode=disable',
      'postgres://infra@socket/records?host=%2Fvar%2Frun%2Fpostgresql&sslmode=disable',
    ],
  ])('is told to the tools of the database without the password, and with how to encrypt: %s', (text, shown) => {
    expect(dumpCommands(text, 'some.dump')).toEqual({
      dump: `pg_dump -Fc -f some.dump -d '${shown}'`,
      restore: `pg_restore -1 -d '${shown}' some.dump`,
    });
  });
});
