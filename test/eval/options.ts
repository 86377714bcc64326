import { parseArgs } from 'node:util';
import type { Task } from '../slow/tasks/task.ts';

/** The formats of requests that models are reached by. */
export const modelApis = ['openai', 'anthropic'] as const;
type ModelApi = (typeof modelApis)[number];

/** What to evaluate, and how. */
export interface EvalOptions {
  readonly model: string;
  /** The base URL of the model's API. */
  readonly endpoint: string;
  readonly api: ModelApi;
  readonly apiKey?: string;
  /** Only tasks that contain one of these texts. Empty for all. */
  readonly only: readonly string[];
  /** Folder for the transcripts. */
  readonly folder: string;
  /** Most answers of the model to one task. */
  readonly mostSteps: number;
}

const usage = `npm run eval -- --model <name> --endpoint <url> [--api ${modelApis.join('|')}] [--task <words>]… [--transcripts <folder>] [--steps <number>]`;

const fault = (what: string): Error => new Error(`${what}\n${usage}`);

/**
 * The options of an evaluation.
 * @throws Error that says what is missing or wrong.
 */
export function evalOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  now: Date,
): EvalOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string' },
      endpoint: { type: 'string' },
      api: { type: 'string', default: 'openai' },
      task: { type: 'string', multiple: true, default: [] },
      transcripts: { type: 'string' },
      steps: { type: 'string', default: '40' },
    },
  });
  const { model, endpoint = env['EVAL_ENDPOINT'], api, task: only, steps } = values;
  if (!model) throw fault('Nothing was evaluated: name the model with --model.');
  if (!endpoint)
    throw fault(
      "Nothing was evaluated: there is no endpoint. Name the base URL of the model's API with --endpoint or EVAL_ENDPOINT, and its key, if it has one, with EVAL_API_KEY.",
    );
  if (!URL.canParse(endpoint)) throw fault(`Nothing was evaluated: the endpoint "${endpoint}" is no URL.`);
  const known = modelApis.find((one) => one === api);
  if (!known) throw fault(`Nothing was evaluated: --api is ${modelApis.join(' or ')}.`);
  if (!/^[1-9]\d{0,3}$/.test(steps)) throw fault('Nothing was evaluated: --steps is a number from 1 to 9999.');
  const run = `${model.replaceAll(/[^\w.-]+/g, '-')}-${now.toISOString().replaceAll(':', '-')}`;
  return {
    model,
    endpoint: endpoint.replace(/\/+$/, ''),
    api: known,
    apiKey: env['EVAL_API_KEY'] || undefined,
    only,
    folder: values.transcripts ?? `eval-transcripts/${run}`,
    mostSteps: Number(steps),
  };
}

/**
 * The tasks to do.
 * @throws Error if there is none.
 */
export function chosenTasks(tasks: readonly Task[], { only }: Pick<EvalOptions, 'only'>): readonly Task[] {
  const chosen = tasks.filter(({ want }) => only.length === 0 || only.some((text) => want.includes(text)));
  if (chosen.length === 0)
    throw fault(`Nothing was evaluated: no task contains ${only.map((text) => `"${text}"`).join(' or ')}.`);
  return chosen;
}
