import { allOperations, type AnyOperation, serviceKinds } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

/** What an operation is about, as its path begins. */
const kinds = [...serviceKinds, 'environment', 'project', 'organization', 'cluster'];

/** An operation as the page shows it. */
interface OperationRow {
  readonly name: string;
  readonly request: string;
  readonly effect: string;
  readonly permission: string;
  readonly isTool: boolean;
}

const isTool = (op: AnyOperation): boolean => tools.some(({ name, operation }) => operation === op && name === op.name);

const rowOf = (op: AnyOperation): OperationRow => {
  const { name, method, path, effect, effectIfHidden, permission } = op;
  return {
    name,
    request: `${method} ${path}`,
    effect: effectIfHidden === effect ? effect : `${effect} or ${effectIfHidden}`,
    permission,
    isTool: isTool(op),
  };
};

const kindOf = ({ path }: AnyOperation): string | undefined =>
  kinds.find((kind) => path.startsWith(`/${kind}/{${kind}Id}`));

/** The row of an operation with its kind left out. Operations that differ only by their kind have the same. */
function rowWithoutKind(op: AnyOperation, kind: string): OperationRow {
  const row = rowOf(op);
  const name = row.name
    .split('_')
    .map((word) => (word === kind ? '<kind>' : word))
    .join('_');
  return { ...row, name, request: row.request.replace(`/${kind}/{${kind}Id}`, '/<kind>/{id}') };
}

/**
 * Rows in the order of the operations. Those that differ only by their kind are one row, with the kinds that there are.
 */
function rowsByKind(operations: readonly AnyOperation[]): (OperationRow & { readonly kinds: readonly string[] })[] {
  const groups = Map.groupBy(operations, (op) => {
    const kind = kindOf(op);
    return JSON.stringify(kind === undefined ? rowOf(op) : rowWithoutKind(op, kind));
  });
  return [...groups.values()].map((same) => {
    const found = same.flatMap((op) => kindOf(op) ?? []);
    return same.length === 1
      ? { ...rowOf(same[0]!), kinds: [] }
      : { ...rowWithoutKind(same[0]!, found[0]!), kinds: found };
  });
}

const cells = ({ name, request, effect, permission }: OperationRow): string[] => [
  code(name),
  code(request),
  effect,
  permission,
];
const heading = ['Operation', 'Request', 'Effect', 'Permission'];

/** docs/operations.md */
export function operationsPage(): string {
  const documented = allOperations.filter((op) => op.documented);
  const outside = allOperations.filter((op) => !op.documented);
  return `# Operations

For developers: the operations that the embedded platform serves and the client can call. [openapi.json](openapi.json) has the same as an OpenAPI document, with
requests, responses and statuses. An operation with two effects has the second where it loses or replaces something unseen.

## Documented

${documented.length} operations of the API document, in its order. ${documented.filter(isTool).length} of them are tools.

${markdownTable(
  heading,
  documented.map((op) => cells(rowOf(op))),
)}

## Outside the document

${outside.length} operations that such platforms serve in addition to the documented ones. ${outside.filter(isTool).length} of them are tools. A platform may lack them: after a 404 or 405 for an
unknown route, the client treats the operation as not offered, doesn't try it again, and tells the caller.

A row with kinds stands for one operation of each kind: ${code('stop_<kind>')} for ${code('stop_application')}, ${code('stop_container')} and so on.

${markdownTable(
  [...heading, 'Tool', 'Kinds'],
  rowsByKind(outside).map((row) => [...cells(row), row.isTool ? 'yes' : '', row.kinds.join(', ')]),
)}
`;
}
