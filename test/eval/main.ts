/**
 * Lets a model do the tasks of test/slow/tasks through its API, keeps transcripts, and prints what it took. Exits with
 * 2 if nothing could be evaluated, with 1 if the model's API failed on the way.
 */
import { mkdir } from 'node:fs/promises';
import type { LanguageModel } from 'ai';
import { columns } from '../../src/cli/terminal/columns.ts';
import { createRedaction } from '../../src/server/redaction/index.ts';
import type { Task } from '../slow/tasks/task.ts';
import { tasks } from '../slow/tasks/tasks.ts';
import { doTask, ModelFailure, type TaskOutcome } from './do-task.ts';
import { chosenTasks, evalOptions, type EvalOptions } from './options.ts';
import { transcriptWriter } from './transcript.ts';

/** The model, reached by the library for its API, which is loaded only for it. */
async function modelOf({ api, endpoint: baseURL, apiKey, model }: EvalOptions): Promise<LanguageModel> {
  if (api === 'anthropic')
    return (await import('@ai-sdk/anthropic')).createAnthropic({ baseURL, apiKey: apiKey ?? 'none' })(model);
  return (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({ name: 'eval', baseURL, apiKey })(model);
}

const row = ({ want, solved, calls, requests, bytes, tokens }: TaskOutcome): string[] => [
  want,
  solved ? 'yes' : 'no',
  String(calls.length),
  String(requests),
  String(bytes),
  tokens === undefined ? '' : String(tokens),
];

const sum = (numbers: readonly number[]): string => String(numbers.reduce((total, one) => total + one, 0));

const total = (outcomes: readonly TaskOutcome[]): string[] => [
  'all',
  `${outcomes.filter(({ solved }) => solved).length} of ${outcomes.length}`,
  sum(outcomes.map(({ calls }) => calls.length)),
  sum(outcomes.map(({ requests }) => requests)),
  sum(outcomes.map(({ bytes }) => bytes)),
  sum(outcomes.map(({ tokens }) => tokens ?? 0)),
];

/** Lets the model do these tasks. @returns the exit code. */
async function evaluate(chosen: readonly Task[], options: EvalOptions): Promise<number> {
  const { folder, mostSteps, apiKey } = options;
  // What an API says of a key that it refuses may hold the key.
  const { text: masked } = createRedaction({ configured: () => (apiKey === undefined ? [] : [apiKey]) });
  const model = await modelOf(options);
  await mkdir(folder, { recursive: true });
  const write = transcriptWriter(folder, options);
  const outcomes: TaskOutcome[] = [];
  let failure: ModelFailure | undefined;
  for (const [place, task] of chosen.entries()) {
    try {
      // One after the other, so that a local model isn't asked for several things at once.
      const outcome = await doTask(task, model, mostSteps);
      outcomes.push(outcome);
      await write(place + 1, outcome);
      process.stderr.write(
        `${outcome.solved ? 'solved' : `not solved (${outcome.faults.join('; ')})`}: ${outcome.want}\n`,
      );
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      failure = error;
      process.stderr.write(
        `The model's API failed at "${task.want}", and the rest was left out: ${masked(error.message)}\n`,
      );
      break;
    }
  }
  process.stdout.write(
    `${columns(['task', 'solved', 'calls', 'requests', 'bytes', 'tokens'], [...outcomes.map(row), total(outcomes)])}\nTranscripts: ${folder}\n`,
  );
  return failure ? 1 : 0;
}

/** What is to be evaluated; undefined, with the reason on stderr, if nothing can be. */
function readOptions(): { readonly options: EvalOptions; readonly chosen: readonly Task[] } | undefined {
  try {
    const options = evalOptions(process.argv.slice(2), process.env, new Date());
    return { options, chosen: chosenTasks(tasks, options) };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

const given = readOptions();
process.exitCode = given ? await evaluate(given.chosen, given.options) : 2;
