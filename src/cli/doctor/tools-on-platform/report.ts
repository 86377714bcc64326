import { operations } from '../../../contract/index.ts';
import type { Cell } from '../../terminal/cell.ts';
import { columns } from '../../terminal/columns.ts';
import { wrapped } from '../../terminal/lines.ts';
import { type Style, styled } from '../../terminal/style.ts';
import { maximumRequests, type TriedReads } from './try-reads.ts';
import type { ToolVerdict, VerdictState } from './verdicts.ts';
import manifest from '../../../../package.json' with { type: 'json' };

/**
 * The result of a platform's examination. Contains no address, token, or id or name of a resource, so that it may be
 * published.
 */
export interface PlatformReport {
  readonly version: string;
  readonly node: string;
  /** False if a tool doesn't work, or the examination ended early. */
  readonly ok: boolean;
  /** The number of requests sent. All of them were GET. */
  readonly requests: number;
  readonly maximum_requests: number;
  /** Why it ended early. */
  readonly ended?: string;
  readonly counts: Readonly<Record<VerdictState, number>>;
  /** The number of resources seen, by kind. */
  readonly seen: Readonly<Record<string, number>>;
  readonly reads: readonly {
    readonly operation: string;
    readonly path: string;
    readonly documented: boolean;
    readonly state: string;
    readonly why?: string;
  }[];
  readonly tools: readonly ToolVerdict[];
}

const states: readonly VerdictState[] = ['works', 'works_with_less', 'does_not_work', 'not_tried'];

/** Creates the report of an examination. */
export function reportOf(
  { results, requests, seen, ended }: TriedReads,
  tools: readonly ToolVerdict[],
): PlatformReport {
  const counts = Object.fromEntries(
    states.map((state) => [state, tools.filter((one) => one.state === state).length]),
  ) as Record<VerdictState, number>;
  const organizationRead = results.get(operations.get_organization)?.state;
  return {
    version: manifest.version,
    node: process.versions.node,
    ok: counts.does_not_work === 0 && ended === undefined && organizationRead !== 'failed',
    requests,
    maximum_requests: maximumRequests,
    ended,
    counts,
    seen,
    reads: [...results].map(([{ name, path, documented }, result]) => ({
      operation: name,
      path,
      documented,
      ...result,
    })),
    tools,
  };
}

const marks: Readonly<Record<VerdictState, { readonly mark: string; readonly style: Style; readonly text: string }>> = {
  works: { mark: '✓', style: 'green', text: 'works' },
  works_with_less: { mark: '!', style: 'yellow', text: 'works with less' },
  does_not_work: { mark: '✗', style: 'red', text: "doesn't work" },
  not_tried: { mark: '–', style: 'dim', text: 'not tried' },
};

const row = (names: string, { state, why }: ToolVerdict): Cell[] => [
  { text: marks[state].mark, style: marks[state].style },
  names,
  marks[state].text,
  why.join('; '),
];

/** One row for all the tools that have the same verdict for the same reasons. */
const groupedRows = (tools: readonly ToolVerdict[]): Cell[][] =>
  [...Map.groupBy(tools, ({ state, why }) => [state, ...why].join('\n')).values()].map((group) =>
    row(group.map(({ tool }) => tool).join(', '), group[0]!),
  );

const seenText = (seen: PlatformReport['seen']): string =>
  Object.entries(seen)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${count}`)
    .join(', ');

/** Verdicts that need attention, the worst first. */
const attention: readonly VerdictState[] = ['does_not_work', 'works_with_less'];

const inOrder = (tools: readonly ToolVerdict[], order: readonly VerdictState[]): ToolVerdict[] =>
  order.flatMap((state) => tools.filter((tool) => tool.state === state));

/** The reads without a complete answer, with the reasons. */
const readsTable = (reads: PlatformReport['reads']): string[] => {
  const unanswered = reads.filter(({ state, why }) => state !== 'answered' || why !== undefined);
  return unanswered.length === 0
    ? []
    : [
        columns(
          ['read', 'path', 'result', 'why'],
          unanswered.map(({ operation, path, state, why }) => [operation, path, state.replaceAll('_', ' '), why ?? '']),
        ),
      ];
};

/**
 * The report as text, the tools that need attention first.
 * @param verbose lists the other tools and the reads too, instead of counting them.
 */
export function reportText(
  { version, node, requests, ended, counts, seen, reads, tools }: PlatformReport,
  verbose: boolean,
): string {
  const urgent = inOrder(tools, attention);
  const rows = verbose
    ? [
        ...urgent,
        ...inOrder(
          tools,
          states.filter((state) => !attention.includes(state)),
        ),
      ].map((one) => row(one.tool, one))
    : groupedRows(urgent);
  return [
    ...(rows.length === 0 ? [] : [columns(['', 'tool', 'result', 'why'], rows)]),
    ...(verbose ? readsTable(reads) : []),
    wrapped(
      [
        ...(ended === undefined ? [] : [styled('red', `It ended early: ${ended}.`)]),
        `${tools.length} tools: ${states.map((state) => `${marks[state].text} ${counts[state]}`).join(', ')}.${verbose ? '' : ' --verbose lists them all.'}`,
        `Seen: ${seenText(seen) || 'nothing'}.`,
        `${requests} requests were sent, all of them GET: nothing was changed. infra-mcp ${version}, Node ${node}. This shows neither token nor address, nor names or ids of yours.`,
        '',
      ].join('\n'),
    ),
  ].join('\n');
}
