/** JSON values and schemas. */

export { memberOf, toJsonSchema, withoutMembers, withoutNull, type JsonSchema } from './json-schema.ts';
export {
  memoised,
  at,
  canonical,
  isRecord,
  mapStrings,
  omit,
  own,
  pick,
  pickPaths,
  prune,
  pruneRecord,
  recordsIn,
  rootOf,
  withAt,
  type JsonRecord,
} from './values.ts';
export { parseWithNumbers, writtenNumbersKey, type WrittenNumber } from './written-numbers.ts';
