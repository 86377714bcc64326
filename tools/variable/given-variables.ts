import { isSecretName, parseEnv } from '../../src/server/tool/index.ts';

/** The values in a call, in three forms. */
export interface GivenValues {
  readonly variables?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly env_text?: string;
}

/**
 * Splits the given values into variables and secrets. In .env text, the names decide and, for names such as
 * `STRIPE_KEY`, the values.
 * @param plainKeys keys of existing variables: they stay variables.
 * @param secretKeys keys of the owner's secrets: they stay secrets.
 */
export function splitSecrets(
  { variables = {}, secrets = {}, env_text = '' }: GivenValues,
  plainKeys: ReadonlySet<string>,
  secretKeys: ReadonlySet<string>,
): { plain: [string, string][]; hidden: [string, string][] } {
  const fromText = Object.entries(parseEnv(env_text)).map(([key, value]): [string, string] => [key, value ?? '']);
  const isSecret = ([key, value]: [string, string]): boolean =>
    secretKeys.has(key) || (isSecretName(key, value) && !plainKeys.has(key));
  return {
    plain: [...Object.entries(variables), ...fromText.filter((entry) => !isSecret(entry))],
    hidden: [...Object.entries(secrets), ...fromText.filter(isSecret)],
  };
}

// Text that parseEnv reads: comments, and keys with a value, which may span lines if it is quoted.
const readable = /^[ \t]*(?:#.*|(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?.*)$/gm;

/** Numbers of the lines in .env text that parseEnv would silently ignore although they aren't empty. */
const ignoredLines = (text: string): number[] =>
  text
    .replaceAll(readable, (match) => match.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));

/** Maximum number of variables in one call: each is a request, and a person may have to read them all. */
const maximumVariables = 200;

const maximumReportedLines = 10;

/** The problems of the given values. Doesn't mention values: they may be secret. */
export function problemsIn({ variables = {}, secrets = {}, env_text = '' }: GivenValues): string[] {
  const keys = [variables, secrets, parseEnv(env_text)].flatMap((one) => Object.keys(one));
  if (keys.length > maximumVariables)
    return [`${keys.length} variables are too many for one call: give at most ${maximumVariables}`];
  const duplicates = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  const ignored = ignoredLines(env_text);
  return [
    ...(duplicates.size > 0
      ? [`give each key in one of "variables", "secrets" and "env_text" only: ${[...duplicates].join(', ')}`]
      : []),
    ...(ignored.length > 0
      ? [
          `"env_text": not of the form KEY=value: line ${ignored.slice(0, maximumReportedLines).join(', ')}${ignored.length > maximumReportedLines ? ` and ${ignored.length - maximumReportedLines} more` : ''}`,
        ]
      : []),
  ];
}
