import { dynamicTool, generateText, isStepCount, jsonSchema, type LanguageModel, type ToolSet } from 'ai';
import { createClient, type Client } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { connectorsTo } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import {
  brokenService,
  endFaults,
  filled,
  platformToken,
  prepare,
  requestsLeft,
  sayingFaults,
  withPlatform,
} from '../slow/tasks/on-platform.ts';
import type { Task } from '../slow/tasks/task.ts';

type Args = Record<string, unknown>;

/** A call that the model made, and what it was shown. */
export interface ModelCall {
  readonly tool: string;
  readonly arguments: Args;
  readonly result: string;
  /** Whether the tool changes something, and the call didn't fail. */
  readonly changed: boolean;
}

/** How a model did a task. */
export interface TaskOutcome {
  readonly want: string;
  readonly prompt: string;
  readonly solved: boolean;
  /** What is not as it must be. */
  readonly faults: readonly string[];
  readonly calls: readonly ModelCall[];
  /** Requests to the platform. */
  readonly requests: number;
  /** Size of all arguments and results. */
  readonly bytes: number;
  /** The tokens that the model's API counted, if it does. */
  readonly tokens?: number;
  /** What the model said in the end. */
  readonly answer: string;
}

/** Something went wrong with the model's API, not with the task. */
export class ModelFailure extends Error {}

const manner =
  'Do what the user asks with the tools, and check that it worked. The user agrees to what the tools ask about. When it is done, say in a few sentences what you did and found.';

/** What the model is told: what somebody wants, and the facts that the steps of the script add. */
export function promptOf(task: Task): string {
  const broken = brokenService(task);
  const facts = filled(task.steps, broken).flatMap(({ with: given = {} }) =>
    Object.entries(given).flatMap(([name, value]) =>
      name === 'wait' || value === broken
        ? []
        : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
    ),
  );
  const known = [...(broken ? [`The service that fails: ${broken}`] : []), ...new Set(facts)];
  return [`I want to ${task.want}.`, ...(known.length > 0 ? ['What I know:', ...known] : [])].join('\n');
}

/** The server's tools, as the model's, with a record of the calls. */
async function toolsOf(client: TestClient, record: (call: ModelCall, bytes: number) => void): Promise<ToolSet> {
  const listed = (await client.list()) as {
    name: string;
    description?: string;
    inputSchema: object;
    annotations: { readOnlyHint: boolean };
  }[];
  return Object.fromEntries(
    listed.map(({ name, description = '', inputSchema, annotations: { readOnlyHint } }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: async (input) => {
          const args = (input ?? {}) as Args;
          const result = await client.call(name, args);
          const text = textOf(result);
          record(
            { tool: name, arguments: args, result: text, changed: !readOnlyHint && result.isError !== true },
            JSON.stringify(args).length + JSON.stringify(result).length,
          );
          return text;
        },
      }),
    ]),
  );
}

/**
 * The task's faults: what is not so on the platform, and what no result said.
 * @param wasSo whether the platform was from the start as it must be in the end: then something must have been changed
 *   at least.
 */
async function faultsOf(task: Task, calls: readonly ModelCall[], platform: Client, wasSo: boolean): Promise<string[]> {
  const untouched = task.end && wasSo && !calls.some(({ changed }) => changed) ? ['nothing was changed'] : [];
  return [
    ...untouched,
    ...sayingFaults(
      task,
      calls.map(({ result }) => result),
    ),
    ...(await endFaults(platform, task)),
  ];
}

/**
 * Lets a model do a task on a platform of its own.
 * @throws ModelFailure if the model's API fails.
 */
export async function doTask(task: Task, model: LanguageModel, mostSteps: number): Promise<TaskOutcome> {
  let outcome: TaskOutcome | undefined;
  await withPlatform(task, async (url) => {
    const platform = createClient({ baseUrl: url, credential: credentialOf(platformToken) });
    const connectors = connectorsTo(url, platformToken);
    try {
      await prepare(task, connectors);
      const client = await connectors.modern(userAnswering(agree));
      const calls: ModelCall[] = [];
      let bytes = 0;
      const tools = await toolsOf(client, (call, size) => {
        calls.push(call);
        bytes += size;
      });
      const prompt = promptOf(task);
      const wasSo = (await endFaults(platform, task)).length === 0;
      const before = await requestsLeft(platform);
      const generated = await generateText({
        model,
        instructions: `${client.instructions() ?? ''}\n\n${manner}`,
        prompt,
        tools,
        stopWhen: isStepCount(mostSteps),
        maxOutputTokens: 8_192,
      }).catch((error: unknown) =>
        Promise.reject(new ModelFailure(error instanceof Error ? error.message : String(error), { cause: error })),
      );
      const requests = before - (await requestsLeft(platform)) - 1;
      const faults = await faultsOf(task, calls, platform, wasSo);
      outcome = {
        want: task.want,
        prompt,
        solved: faults.length === 0,
        faults,
        calls,
        requests,
        bytes,
        tokens: generated.usage.totalTokens,
        answer: generated.text,
      };
    } finally {
      await connectors.close();
      await platform.close();
    }
  });
  return outcome!;
}
