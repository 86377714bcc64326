/** Names and paths to ids, and back. */

export { createNameResolver, type PersistentNameResolver, readsToResolve } from './name-resolver.ts';
export type { CacheChange, CacheInvalidation, SeenResource } from './cache-invalidation.ts';
export { isId, matchingName } from './names.ts';
export { noSuchId, resolutionProblemText, whereToLook } from './problem-text.ts';
export { isOfKind, listOperationFor, responseKinds } from './resource-hierarchy.ts';
export { isForeignUri, isInfraUri, parseUri, uriParts } from './uri.ts';
