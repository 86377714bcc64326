import type { AnyOperation } from '../../../contract/index.ts';
import { readsToAssess } from '../../../server/guard/index.ts';
import { readsToResolve } from '../../../server/resolve/index.ts';
import {
  pointsAt,
  presentReads,
  readUses,
  referencesInside,
  type ReadUse,
  type Tool,
} from '../../../server/tool/index.ts';

/** The reads that are the tool's own operations. They are needed, unless the tool says otherwise. */
function ownReads({ operations, reads = [] }: Tool): readonly ReadUse[] {
  const declared = new Set(reads.map(({ operation }) => operation));
  return operations
    .filter((operation) => operation.method === 'GET' && !declared.has(operation))
    .map((operation) => ({ operation, without: 'it has nothing to show', isNeeded: true }));
}

/** Every PUT of a tool without its own preview is previewed as a replacement. */
const replacementReads = ({ operations, preview }: Tool): readonly ReadUse[] =>
  preview
    ? []
    : readUses(
        'the plan does not show what is replaced',
        ...operations
          .filter(({ method }) => method === 'PUT')
          .flatMap((operation) => presentReads(operation).map((present) => present.operation)),
      );

const namesIn = ({ input }: Tool): readonly ReadUse[] =>
  [
    ...new Set(
      Object.values(input).flatMap((schema) =>
        [pointsAt(schema) ?? [], referencesInside(schema).map(({ kind }) => kind)].flat(),
      ),
    ),
  ].flatMap(readsToResolve);

/** Everything that a call of a tool may read: one entry for each read and each consequence of its absence. */
export function readsOfTool(tool: Tool): readonly ReadUse[] {
  const all = [
    ...ownReads(tool),
    ...(tool.reads ?? []),
    ...replacementReads(tool),
    ...namesIn(tool),
    ...tool.operations.flatMap(readsToAssess),
  ];
  return [...new Map(all.map((use) => [`${use.operation.name} ${use.without}`, use] as const)).values()];
}

/** Every read that one of the tools may make, once. */
export const readsOfTools = (tools: readonly Tool[]): readonly AnyOperation[] => [
  ...new Set(tools.flatMap((tool) => readsOfTool(tool).map(({ operation }) => operation))),
];
