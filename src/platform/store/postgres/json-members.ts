import { jsonMemberOf } from '../../../database/index.ts';

/**
 * Statements for reading members of any JSON. PostgreSQL reads no text out of JSON that has U+0000 or half a surrogate pair
 * anywhere, as requests may bring them, so that these are left out first. Backslashes that stand for themselves come in pairs.
 * The index of before failed on such JSON.
 */
export const jsonMemberStatements: readonly string[] = [
  String.raw`create function json_member(value json, path text[]) returns text language sql immutable strict
    as $$ select regexp_replace(value::text, '(\\\\)|\\u(?:0000|d[89a-f]..)', '\1', 'gi')::json #>> path $$`,
  'drop index service_of_helm_repository',
  `create index service_of_helm_repository on service (${jsonMemberOf('spec', ['source', 'repository', 'repository', 'id'])}) where kind = 'helm'`,
];
