import { parser as promqlParser } from '@prometheus-io/lezer-promql';
import { LineCounter, parseAllDocuments } from 'yaml';
import { invalid } from '../../common/index.ts';

// How many characters of an expression an error message quotes.
const quotedCharacters = 20;

/**
 * Refuses invalid PromQL. A rule with it would never fire.
 * @throws ApiProblem 400 with the member and the position of the first error, counted from 1
 */
export function requirePromql(member: string, expression: string): void {
  const cursor = promqlParser.parse(expression).cursor();
  do {
    if (!cursor.type.isError) continue;
    const rest = expression.slice(cursor.from, cursor.from + quotedCharacters);
    const near = rest === '' ? 'it ends where more is expected' : `near "${rest}"`;
    throw invalid(member, `is no PromQL expression: at character ${cursor.from + 1}, ${near}`);
  } while (cursor.next());
}

/**
 * Refuses a values file that isn't valid YAML. Helm would fail on it.
 * @throws ApiProblem 400 with the member, the line and the error
 */
export function requireYaml(member: string, content: string): void {
  const lines = new LineCounter();
  const documents = parseAllDocuments(content, { lineCounter: lines, prettyErrors: false });
  if ('empty' in documents) return;
  const fault = documents.flatMap(({ errors }) => errors)[0];
  if (fault) throw invalid(member, `is no YAML: line ${lines.linePos(fault.pos[0]).line}, ${fault.message}`);
}

/**
 * Refuses a URL with credentials, because responses show URLs. A user name alone is allowed where it is no secret, as in
 * ssh://git@host.
 * @throws ApiProblem 400 with the member
 */
export function requireNoCredentials(member: string, address: string | undefined): void {
  if (address === undefined || !URL.canParse(address)) return;
  const { protocol, username, password } = new URL(address);
  if (password !== '' || (username !== '' && protocol !== 'ssh:')) {
    throw invalid(member, 'must not hold a user name or password; link a git token or give the credentials in their own members');
  }
}
