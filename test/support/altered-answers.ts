import * as fc from 'fast-check';
import { allOperations, type AnyOperation } from '../../src/contract/index.ts';
import type { FailureCode } from '../../src/server/failure/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo } from './connectors.ts';
import { agree, failureIn, textOf, userAnswering } from './mcp-clients.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import { startTestPlatform } from './test-platform.ts';
import { deletableProject, toolCallsOn } from './tool-calls.ts';

type Args = Record<string, unknown>;
type Path = readonly (string | number)[];

/** The ways in which a part of an answer is altered. */
const alterationKinds = [
  'drop',
  'null',
  'unknown word',
  'extra member',
  'empty list',
  'empty object',
  'no id',
] as const;
type Alteration = (typeof alterationKinds)[number];

const replacements: Partial<Record<Alteration, unknown>> = {
  null: null,
  'unknown word': 'NEVER_HEARD_OF',
  'empty list': [],
  'empty object': {},
};

/** The paths to a value and to everything in it. */
const pathsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? [
        path,
        ...Object.entries(value).flatMap(([name, inner]) =>
          pathsIn(inner, [...path, Array.isArray(value) ? Number(name) : name]),
        ),
      ]
    : [path];

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value);

/** The paths to what can be altered so. */
function placesFor(body: unknown, alteration: Alteration): Path[] {
  const fits = (path: Path): boolean => {
    const value = valueAt(body, path);
    if (alteration === 'unknown word') return typeof value === 'string' && path.at(-1) !== 'id';
    if (alteration === 'extra member') return typeof value === 'object' && value !== null && !Array.isArray(value);
    if (alteration === 'no id') return path.at(-1) === 'id';
    return alteration !== 'drop' || path.length > 0;
  };
  return pathsIn(body).filter(fits);
}

/** A body with the part at a path altered. */
function altered(body: unknown, path: Path, alteration: Alteration): unknown {
  if (path.length === 0)
    return alteration === 'extra member' ? { ...(body as object), tomorrow: { more: [1] } } : replacements[alteration];
  const copy: unknown = structuredClone(body);
  const [parent, step] = [valueAt(copy, path.slice(0, -1)) as Record<string, unknown>, path.at(-1)!];
  if (alteration === 'extra member') Object.assign(parent[step] as object, { tomorrow: { more: [1] } });
  else if (alteration in replacements) parent[step] = replacements[alteration];
  else if (Array.isArray(parent)) parent.splice(Number(step), 1);
  else delete parent[step];
  return copy;
}

const asItCame = (_: AnyOperation, body: unknown): unknown => body;

const formOf = ({ path }: AnyOperation): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
const forms = allOperations.map((operation) => ({ operation, form: formOf(operation) }));
const operationAt = (method: string, path: string): AnyOperation | undefined =>
  forms.find(({ operation, form }) => operation.method === method && form.test(path))?.operation;

/** Calls of tools that name what they are about by paths, so that it has to be looked for. */
const callsByPath: readonly (readonly [tool: string, args: Args])[] = [
  ['get_service', { service: 'shop/staging/checkout-api' }],
  ['diagnose_deployment', { service: 'data/development/importer' }],
  ['diagnose_deployment', { environment: 'data/development' }],
  ['get_organization_overview', {}],
  ['get_organization_overview', { project: 'shop' }],
  ['get_environment_overview', { environment: 'shop/staging' }],
  ['list_deployments', { environment: 'shop/staging' }],
  ['search_logs', { environment: 'shop/staging', level: 'info' }],
  ['compare_environments', { first: 'shop/staging', second: 'shop/production' }],
  ['find_resource', { name: 'checkout', kind: 'service' }],
  ['find_resource', { state: 'ERROR' }],
  ['get_environment_status', { environment_id: 'shop/staging' }],
];

// They make the platform refuse what comes after.
const unrepeatable: readonly string[] = ['lock_cluster', 'upgrade_cluster'];

// What they take away or rename others need: they are planned and asked about, and not agreed to.
const renames: readonly string[] = ['update_environment', 'update_project'];
const takesAway: readonly string[] = [
  ...tools.filter(({ operation }) => operation.method === 'DELETE').map(({ name }) => name),
  ...renames,
];
const refuse = () => ({ action: 'decline' as const });

/** Names are learned from answers, so that the plan that is made after the agreement may rest on others. */
const isNotAgreed = ({ kind, why }: FailureCode): boolean =>
  kind === 'not_confirmed' && (why === 'declined' || why === 'changed');

interface ToolCall {
  readonly tool: string;
  readonly isRead: boolean;
  readonly args: () => Args;
}

/** One altered answer: what was called, what was altered, and what came of it. */
interface AlteredCall extends ToolCall {
  readonly operation: AnyOperation;
  readonly path: Path;
  readonly text: string;
  readonly failure: FailureCode | undefined;
}

const isRead = (name: string): boolean => tools.find((tool) => tool.name === name)?.operation.effect === 'read';

/** Says what of an answer is missing, or what could not be found because of it. */
const saysWhatIsMissing =
  /in the answer|the answer (?:is|can)|can't be read|could not be read|does not show|shows neither|does not list|There is no|no such|is not known|its arguments are wrong/;

/**
 * Whether a part of an answer is how something is found: the name or id that the call names, or the list that holds it.
 */
const isLocation = (path: Path): boolean =>
  path.at(-1) === 'id' ||
  (path[0] === 'results' && (path.length <= 2 || path.at(-1) === 'name' || path.at(-1) === 'service_type'));

// Calls change the platform, and it may refuse the next ones for that.
const platformRefuses = /The platform says: /;

/**
 * What is wrong with the outcome of a call whose answer was altered; undefined if the tool did without it, or named
 * what it can't do without.
 */
function complaintOf({ isRead: onlyReads, operation, path, failure, text }: AlteredCall): string | undefined {
  if (failure?.kind === 'internal' || failure?.kind === 'withheld') return 'it failed inside';
  if (/\bundefined\b|\bNaN\b|\[object Object\]/.test(text)) return 'it shows what nobody can read';
  // The altered answer may say that something was created on another cluster than asked for.
  if (!failure || (!onlyReads && platformRefuses.test(text)) || failure.kind === 'not_as_asked' || isNotAgreed(failure))
    return undefined;
  if (operation.effect !== 'read') return 'the change was made';
  if (!saysWhatIsMissing.test(text)) return 'it does not say what is missing';
  // Changes rest on whole answers. What only reads can do without the parts of one.
  const isWhatItIsFor = path.length === 0 || isLocation(path);
  return onlyReads && !isWhatItIsFor ? 'it can do without' : undefined;
}

/** How many answers to alter. The seed decides which; without it they are others each time. */
interface Amount {
  readonly alterations: number;
  readonly seed?: number;
}

/** What came of altered answers. */
interface Result {
  readonly altered: number;
  /** Names of the tools that read one. */
  readonly tools: ReadonlySet<string>;
  /** What is wrong with the outcome of a call, with what is needed to repeat it. */
  readonly complaints: readonly string[];
}

// Calls create services. With too many of them a plan is too long to be asked about.
const perPlatform = 200;
/** How many platforms are tried at a time: calls mostly wait for deployments. */
const platformsAtOnce = 4;

/** Alters this many answers of embedded platforms, each at a random place, and calls a tool that reads it. */
export async function checkAlteredAnswers({ alterations, seed = Date.now() }: Amount): Promise<Result> {
  const results: Result[] = [];
  const starts = Array.from(
    { length: Math.ceil(alterations / perPlatform) },
    (_, index) => index * perPlatform,
  ).values();
  await Promise.all(
    Array.from({ length: platformsAtOnce }, async () => {
      for (const done of starts)
        results.push(await checkOnNewPlatform(Math.min(perPlatform, alterations - done), seed + done));
    }),
  );
  return {
    altered: results.reduce((sum, { altered: count }) => sum + count, 0),
    tools: new Set(results.flatMap(({ tools: reached }) => [...reached])),
    complaints: results.flatMap(({ complaints }) => complaints),
  };
}

async function checkOnNewPlatform(wanted: number, seed: number): Promise<Result> {
  const platform = await startTestPlatform();
  let alter = asItCame;
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => {
      const operation = operationAt(method, path);
      return operation ? alter(operation, body) : body;
    },
  });
  const call = async ({ tool, args }: ToolCall) => {
    // A server each time: what it learned from one answer must not hide another.
    const connectors = connectorsTo(proxy.url, platform.token);
    try {
      const result = await (
        await connectors.modern(userAnswering(takesAway.includes(tool) ? refuse : agree))
      ).call(tool, args());
      return { text: textOf(result), failure: failureIn(result) };
    } finally {
      await connectors.close();
    }
  };
  const calls = [
    ...Object.entries({ ...toolCallsOn(platform), ...(await deletableProject(platform)) }).filter(
      ([tool]) => !unrepeatable.includes(tool),
    ),
    ...callsByPath.map(([tool, args]) => [tool, () => args] as const),
  ].map(([tool, args]): ToolCall => ({ tool, args, isRead: isRead(tool) }));

  try {
    const read = new Map<ToolCall, AnyOperation[]>();
    for (const one of calls) {
      const seen = new Set<AnyOperation>();
      alter = (operation, body) => (seen.add(operation), body);
      await call(one);
      read.set(one, [...seen]);
    }
    const bearing = calls.filter((one) => read.get(one)!.length > 0);
    const reached = new Set<string>();
    let count = 0;
    const complaints: string[] = [];
    const anyCase = fc.tuple(fc.constantFrom(...bearing), fc.nat(), fc.nat(), fc.constantFrom(...alterationKinds));
    // Some ask for what an answer doesn't have: there is nothing to alter.
    const cases = fc.sample(anyCase, { numRuns: wanted * 2, seed });
    for (const [one, which, place, alteration] of cases) {
      if (count === wanted) break;
      const operations = read.get(one)!;
      const operation = operations[which % operations.length]!;
      let path: Path | undefined;
      alter = (found, body) => {
        const places = found === operation ? placesFor(body, alteration) : [];
        if (places.length === 0) return body;
        path = places[place % places.length]!;
        return altered(body, path, alteration);
      };
      // The next calls find what this one left.
      const result = await call(one);
      if (path === undefined) continue;
      count += 1;
      reached.add(one.tool);
      const complaint = complaintOf({ ...one, ...result, operation, path });
      alter = asItCame;
      // What the calls before left may be refused with every answer as it came.
      const isRefusedAnyway =
        complaint !== undefined && result.failure !== undefined && (await call(one)).text === result.text;
      if (complaint && !isRefusedAnyway)
        complaints.push(
          `seed ${seed}, ${complaint}: ${one.tool} ${JSON.stringify(one.args())}, ${operation.name} with "${alteration}" at ${path.join('.') || 'its root'}: ${result.text}`,
        );
    }
    return { altered: count, tools: reached, complaints };
  } finally {
    await proxy.close();
    await platform.close();
  }
}
