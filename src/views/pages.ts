import type { ViewName } from './catalog.ts';

/**
 * The page of a view: one HTML document with everything in it. A build replaces this file by one that has the pages.
 * When the program runs from source, they are made when they are first read.
 */
export const pageOf = async (name: ViewName): Promise<string> => {
  const { viewPage } = await import('./build-page.ts');
  return viewPage(name);
};
