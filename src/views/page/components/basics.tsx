import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ViewActions } from '../actions.ts';
import { messageFor } from '../mapping/message.ts';
import { notReadIn, proposedIn, wordsIn, type ProposedCall, type ToolResult } from '../mapping/result.ts';
import { agoText, exactText, partsWithTimes } from '../mapping/times.ts';
import { toneOf, type Tone } from '../mapping/tone.ts';

const signs: Readonly<Record<Tone, string>> = { bad: '✕', warn: '!', busy: '↻', idle: '–', good: '✓' };

/** A condition, state or level: a sign, its word, and a colour. */
export function Mark({ word, count }: { readonly word: string; readonly count?: number }) {
  const tone = toneOf(word);
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> {count === undefined ? '' : `${count} `}
      {word}
    </span>
  );
}

/** How many there are of each condition. */
export function Counts({
  of: counts,
  noun,
}: {
  readonly of: readonly (readonly [string, number])[];
  readonly noun: string;
}) {
  if (counts.length === 0) return null;
  return (
    <p class="counts">
      <span class="muted">{noun}</span>
      {counts.map(([word, count]) => (
        <Mark key={word} word={word} count={count} />
      ))}
    </p>
  );
}

/** A time as its age, with the exact time for whoever points at it or has it read out. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactText(at)}>
      {agoText(at, Date.now()) ?? at}
    </time>
  );
}

/** A text with its times as people read them. A text that is a time alone is its age. */
export function TextWithTimes({ text }: { readonly text: string }) {
  const parts = partsWithTimes(text);
  if (parts.length === 1 && parts[0]!.isTime) return <Time at={text} />;
  return (
    <>
      {parts.map((part, index) =>
        part.isTime ? (
          <time key={index} dateTime={part.text} title={agoText(part.text, Date.now())}>
            {exactText(part.text)}
          </time>
        ) : (
          part.text
        ),
      )}
    </>
  );
}

/** Names and values in two columns. */
export function Facts({ of: facts }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? <TextWithTimes text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A button that writes a message for the assistant, and says what became of it. */
export function ProposeButton({
  call,
  actions,
  children,
}: {
  readonly call: Pick<ProposedCall, 'tool' | 'arguments'>;
  readonly actions: ViewActions;
  readonly children: ComponentChildren;
}) {
  const [said, say] = useState('');
  const text = messageFor(call);
  if (text === undefined) return null;
  const write = () => {
    say('…');
    actions.propose(text).then(
      () => say('Written into the conversation.'),
      () => say('The host did not take the message.'),
    );
  };
  return (
    <>
      <button type="button" title={text} onClick={write}>
        {children}
      </button>{' '}
      <span role="status">{said}</span>
    </>
  );
}

/** The calls that a result proposes, each with its reason and a button that asks the assistant for it. */
export function Proposals({ result, actions }: { readonly result: ToolResult; readonly actions: ViewActions }) {
  const calls = proposedIn(result);
  if (calls.length === 0) return null;
  return (
    <section>
      <h2>What could be done next</h2>
      <ul class="plain">
        {calls.map((call) => (
          <li key={JSON.stringify(call)}>
            {call.needs === undefined ? (
              <ProposeButton call={call} actions={actions}>
                Ask for {call.tool}
              </ProposeButton>
            ) : (
              <>
                <strong>{call.tool}</strong>, with {call.needs}
              </>
            )}
            {call.after === undefined ? null : <span> after {call.after}:</span>}
            {call.why === undefined ? null : <span class="muted"> {call.why}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What could not be read. */
export function NotRead({ result }: { readonly result: ToolResult }) {
  const lines = notReadIn(result);
  return lines.length === 0 ? null : <Notices label="Not read" of={lines} />;
}

/** Short texts that concern everything below them. */
export function Notices({ label, of: lines }: { readonly label: string; readonly of: readonly string[] }) {
  return (
    <ul class="notices" aria-label={label}>
      {lines.map((line) => (
        <li key={line}>
          <TextWithTimes text={line} />
        </li>
      ))}
    </ul>
  );
}

/** A result that says that something failed, or has nothing to draw. */
export const Words = ({ result }: { readonly result: ToolResult }) => (
  <pre class={result.isError === true ? 'failed' : ''}>{wordsIn(result)}</pre>
);
