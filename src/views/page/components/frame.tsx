import type { ComponentType } from 'preact';
import type { ViewProps } from '../actions.ts';
import { Words } from './basics.tsx';

/** What a view shows: its result, or in words why there is none. */
export function Frame({ view: View, ...props }: ViewProps & { readonly view: ComponentType<ViewProps> }) {
  const { result } = props;
  return (
    <main class="view">
      {result.isError === true || result.structuredContent === undefined ? (
        <>
          <h1>{result.isError === true ? 'It failed' : 'Result'}</h1>
          <Words result={result} />
        </>
      ) : (
        <View {...props} />
      )}
    </main>
  );
}
