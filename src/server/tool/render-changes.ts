import { pruneRecord } from '../json/index.ts';
import { record, type Renderer } from './render.ts';

/** Shows what a change has changed, one line each, below what it is called. @param shown the members that the answer always has. */
export const changeRecord = (shown: readonly string[]): Renderer => {
  const rest = record();
  return {
    shown,
    view: pruneRecord,
    text: ({ changes = [], ...view }) => [rest.text(view), ...(changes as string[])].filter((line) => line !== '').join('\n'),
    keep: 'first',
  };
};
