import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Exchange } from '../other-platform/listener.ts';
import type { IsOn } from '../other-platform/differences.ts';
import { textOf } from '../support/mcp-clients.ts';
import { changesBetween, differingPaths, snapshot } from './changes.ts';
import type { ForeignServer } from './foreign-server.ts';
import { isLesson } from './lessons.ts';

type Json = Record<string, unknown>;

/** A call that was made, for what has to hold of it. */
export interface Made {
  readonly server: ForeignServer;
  readonly result: CallToolResult;
  readonly answer: Json;
  readonly text: string;
  /** What the user was asked meanwhile. */
  readonly questions: readonly string[];
  /** What the platform was asked meanwhile. */
  readonly requests: readonly Exchange[];
}

/** A call of a tool on the second platform's seed. */
export interface ForeignCall {
  readonly tool: string;
  /** What makes it another call than the others of its tool. */
  readonly case?: string;
  /** Where it is made: everywhere by default. */
  readonly where?: (on: IsOn) => boolean;
  readonly before?: (server: ForeignServer) => unknown;
  readonly args: (server: ForeignServer) => Json;
  /** What it changes on the platform, all of it, or what each change has to match; nothing by default. */
  readonly changes?: readonly string[] | RegExp | ((server: ForeignServer) => readonly string[]);
  /** What it reads of a resource that it changes, and the members of it that alone may differ afterwards. */
  readonly only?: { readonly of: (server: ForeignServer) => unknown; readonly members: readonly string[] };
  /** The words of a legitimate refusal: then it has to be refused. `why` says what makes it legitimate. */
  readonly refused?: { readonly says: RegExp; readonly why: string };
  /** What has to hold besides, as expectations that throw. */
  readonly holds?: (made: Made) => unknown;
}

const shortened = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 500);

/** What the platform refused since, but for what it is legitimate to learn from. */
function refusalsSince(server: ForeignServer, from: number): string[] {
  const { refusals } = server.platform;
  return refusals
    .slice(from)
    .filter((refusal) => !isLesson(server.on, refusal, refusals, refusals.slice(0, from)))
    .map(
      ({ method, path, body, reason }) =>
        `sent what the document doesn't allow: ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}: ${reason}`,
    );
}

const attempt = async (check: () => unknown): Promise<string[]> => {
  try {
    await check();
    return [];
  } catch (error) {
    return [`is not true: ${error instanceof Error ? error.message : String(error)}`];
  }
};

const outcomeProblems = ({ isError }: CallToolResult, text: string, { refused }: ForeignCall): string[] => {
  if (refused === undefined) return isError === true ? [`failed: ${text}`] : [];
  if (isError !== true) return [`was not refused (${refused.why}): ${text}`];
  return refused.says.test(text) ? [] : [`was refused otherwise than ${String(refused.says)}: ${text}`];
};

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());

function changeProblems(changed: readonly string[], expected: readonly string[] | RegExp): string[] {
  const isRight =
    expected instanceof RegExp ? changed.every((change) => expected.test(change)) : sameList(changed, expected);
  return isRight
    ? []
    : [`changed [${changed.join(', ')}], not [${expected instanceof RegExp ? String(expected) : expected.join(', ')}]`];
}

/**
 * Makes a call and collects what is wrong with it: failures, requests that the platform's document doesn't allow,
 * untruths.
 */
export async function problemsOf(server: ForeignServer, call: ForeignCall): Promise<string[]> {
  const { platform, user, log } = server;
  await call.before?.(server);
  const args = call.args(server);
  const of = await call.only?.of(server);
  const [requests, refusals, questions, logged] = [
    platform.requests.length,
    platform.refusals.length,
    user.questions.length,
    log.lines.length,
  ];
  const kept = snapshot(platform);
  const expected = typeof call.changes === 'function' ? call.changes(server) : (call.changes ?? []);
  const result = await server.call(call.tool, args);
  const text = textOf(result);
  const sent = platform.requests.slice(requests);
  const made: Made = {
    server,
    result,
    text,
    answer: (result.structuredContent ?? {}) as Json,
    requests: sent,
    questions: user.questions.slice(questions).map(({ message }) => message),
  };
  const changed = changesBetween(kept, snapshot(platform));
  const wrong =
    result.isError === true
      ? []
      : [
          ...changeProblems(changed, expected),
          ...(call.only === undefined
            ? []
            : differingPaths(of, await call.only.of(server))
                .filter(
                  (path) => !call.only?.members.some((member) => path === member || path.startsWith(`${member}.`)),
                )
                .map((path) => `changed ${path} too`)),
          ...(call.holds === undefined ? [] : await attempt(() => call.holds?.(made))),
        ];
  const refusedButChanged =
    result.isError === true && changed.length > 0 ? [`failed and still changed ${changed.join(', ')}`] : [];
  const broken = sent
    .filter(({ status }) => status >= 500)
    .map(({ method, path }) => `broke the platform: ${method} ${path}`);
  const faults = log.lines
    .slice(logged)
    .filter((line) => JSON.stringify(line).includes('"level":"error"'))
    .map((line) => `logged ${JSON.stringify(line)}`);
  const problems = [
    ...outcomeProblems(result, text, call),
    ...refusalsSince(server, refusals),
    ...wrong,
    ...refusedButChanged,
    ...broken,
    ...faults,
  ];
  return problems.map(
    (problem) => `${call.tool}${call.case === undefined ? '' : ` (${call.case})`} ${shortened(problem)}`,
  );
}

/** Reads a resource and collects what is wrong with it. */
export async function problemsOfResource(server: ForeignServer, uri: string): Promise<string[]> {
  const refusals = server.platform.refusals.length;
  const kept = snapshot(server.platform);
  const failure = await server.text(uri).then(
    (text) => (text === '' ? ['is empty'] : []),
    (error: unknown) => [`failed: ${String(error)}`],
  );
  const changed = changesBetween(kept, snapshot(server.platform));
  return [...failure, ...refusalsSince(server, refusals), ...changed].map((problem) => `${uri} ${shortened(problem)}`);
}
