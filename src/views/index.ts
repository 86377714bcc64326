/** Views of results that hosts show (MCP Apps): which there are, for which tools, and where their pages come from. */

export {
  showsViews,
  viewAt,
  viewExtension,
  viewMeta,
  viewMimeType,
  viewNames,
  viewOfTool,
  viewUri,
} from './catalog.ts';
export { metaKeys } from './meta-keys.ts';
export { readingTools, type ReadingTool } from './reading-tools.ts';
