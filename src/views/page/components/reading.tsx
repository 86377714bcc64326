import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReadingTool, ViewActions } from '../actions.ts';
import type { JsonRecord, ToolResult } from '../mapping/result.ts';
import { Words } from './basics.tsx';

/** The state of something that is read. */
export interface Reading {
  /** The latest result that didn't fail; undefined before the first. */
  readonly result?: ToolResult;
  /** The latest result, if it failed. */
  readonly failed?: ToolResult;
  readonly isReading: boolean;
  /** Reads again. @param other arguments than before */
  readonly read: (other?: JsonRecord) => void;
}

const unanswered: ToolResult = {
  isError: true,
  content: [{ type: 'text', text: 'The host did not make the call. What is shown is from before.' }],
};

/**
 * Something that a tool reads. A read that fails leaves what is shown.
 * @param first a result that is there already
 */
export function useReading(actions: ViewActions, tool: ReadingTool, args: JsonRecord, first?: ToolResult): Reading {
  const [result, setResult] = useState(first);
  const [failed, setFailed] = useState<ToolResult>();
  const [isReading, setReading] = useState(false);
  const newest = useRef(0);
  // A host may send another result for the same view.
  useEffect(() => {
    newest.current += 1;
    setReading(false);
    setFailed(undefined);
    setResult(first);
  }, [first]);
  const read = (other = args) => {
    const own = (newest.current += 1);
    setReading(true);
    const take = async (): Promise<void> => {
      const next = await actions.read(tool, other).catch(() => unanswered);
      if (own !== newest.current) return;
      setReading(false);
      setFailed(next.isError === true ? next : undefined);
      if (next.isError !== true) setResult(next);
    };
    void take();
  };
  return { result, failed, isReading, read };
}

/** The heading of a view, with the button that reads again if it can. */
export function Heading({
  reading,
  children,
}: {
  readonly reading: Reading | undefined;
  readonly children: ComponentChildren;
}) {
  if (reading === undefined)
    return (
      <header>
        <h1>{children}</h1>
      </header>
    );
  return (
    <>
      <header>
        <h1>{children}</h1>
        <button type="button" aria-disabled={reading.isReading} onClick={() => reading.isReading || reading.read()}>
          Refresh
        </button>
      </header>
      <p role="status" class="muted">
        {reading.isReading ? 'Reading…' : ''}
      </p>
      {reading.failed === undefined ? null : (
        <div role="alert">
          <Words result={reading.failed} />
        </div>
      )}
    </>
  );
}
