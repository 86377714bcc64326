/**
 * SQL for a member of a column of JSON text, if it is a text without characters that JSON escapes. PostgreSQL can't read a value as
 * text out of JSON that has U+0000 or half a surrogate pair anywhere, as any request may bring them; it can read the value as JSON.
 * Indexes are found by the same expression.
 * @param path the names on the way to it, of letters only
 */
export const memberOf = (column: string, path: readonly string[]): string => `trim(both '"' from (${column} #> '{${path.join(',')}}')::text)`;

/** Statements for the index by which the services of a Helm repository are found. The first one had an expression that fails on such JSON. */
export const helmRepositoryIndexStatements: readonly string[] = [
  'drop index service_of_helm_repository',
  `create index service_of_helm_repository on service ((${memberOf('spec', ['source', 'repository', 'repository', 'id'])})) where kind = 'helm'`,
];
