/** Resources, prompts, completion, skills and subscriptions. */

export { createContent, type Content, type ContentDependencies } from './content.ts';
export { allResources, listedResources } from './resources/catalog.ts';
export {
  endSubscriptions,
  registerResources,
  registerSubscriptions,
  shortenUrisInErrors,
  type ListedResource,
  oneByOne,
} from './resources/mcp-resources.ts';
export { serveViews } from './resources/views.ts';
export { isOwnResource, isPlatformResource, isWatchedResource, type Resource } from './resources/resource.ts';
export { watchFor } from './resources/watch-resource.ts';
export { budgetKeyOf, createWatches, mostWatched, type Unsubscribe, type Watches } from './resources/watches.ts';
export { createSkills } from './skills.ts';
export { textPaths, textsIn, withCallerErrors, type Texts } from './texts.ts';
