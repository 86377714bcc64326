import { isSecretName } from '../../src/server/tool/index.ts';
import { type EnvTextProblem, readEnvText } from './env-text.ts';

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
  const fromText = [...readEnvText(env_text).variables];
  const isSecret = ([key, value]: [string, string]): boolean =>
    secretKeys.has(key) || (isSecretName(key, value) && !plainKeys.has(key));
  return {
    plain: [...Object.entries(variables), ...fromText.filter((entry) => !isSecret(entry))],
    hidden: [...Object.entries(secrets), ...fromText.filter(isSecret)],
  };
}

/** The advice for each kind of line that can't be read. */
const advice: Readonly<Record<EnvTextProblem['problem'], string>> = {
  'no variable': 'not of the form KEY=value',
  'no name of a variable': 'a name of a variable begins with a letter and has letters, digits and _ only, at most 255',
  'no closing quote':
    'a value starts with a quote that is never closed: put the whole value into quotes of another kind',
  'text after the closing quote':
    'text follows the closing quote of a value: put the whole value into quotes of another kind, or write \\" in double quotes; a comment needs a space before its #',
  'a NUL character': 'a value has a NUL character, which no variable can hold: remove it',
};

/** One sentence for each kind of problem, with the numbers of the lines. Doesn't quote them: they may be secret. */
function textProblems(problems: readonly EnvTextProblem[]): string[] {
  const kinds = Object.keys(advice) as EnvTextProblem['problem'][];
  return kinds.flatMap((kind) => {
    const lines = problems.filter(({ problem }) => problem === kind).map(({ line }) => line);
    const more = lines.length > maximumReportedLines ? ` and ${lines.length - maximumReportedLines} more` : '';
    return lines.length === 0
      ? []
      : [`"env_text": ${advice[kind]}: line ${lines.slice(0, maximumReportedLines).join(', ')}${more}`];
  });
}

/** Maximum number of variables in one call: each is a request, and a person may have to read them all. */
const maximumVariables = 200;

const maximumReportedLines = 10;

/** The problems of the given values. Doesn't mention values: they may be secret. */
export function problemsIn({ variables = {}, secrets = {}, env_text = '' }: GivenValues): string[] {
  const { variables: fromText, problems } = readEnvText(env_text);
  const keys = [...Object.keys(variables), ...Object.keys(secrets), ...fromText.keys()];
  if (keys.length > maximumVariables)
    return [`${keys.length} variables are too many for one call: give at most ${maximumVariables}`];
  const duplicates = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
  return [
    ...(duplicates.size > 0
      ? [`give each key in one of "variables", "secrets" and "env_text" only: ${[...duplicates].join(', ')}`]
      : []),
    ...textProblems(problems),
  ];
}
