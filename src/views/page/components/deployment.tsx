import { useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../actions.ts';
import {
  deploymentStory,
  foundLines,
  logArguments,
  subjectOf,
  type LoggedLine,
  type LogQuestion,
  type Moment,
} from '../mapping/deployment.ts';
import { answerIn, textOf } from '../mapping/result.ts';
import { exactText, spanText } from '../mapping/times.ts';
import { isPlan } from '../mapping/plan.ts';
import { Facts, Mark, NotRead, Notices, Proposals, Time, Words } from './basics.tsx';
import { PlanView } from './plan.tsx';
import { Heading, useReading } from './reading.tsx';

/** The moments of a deployment in their order, with a bar for how long each step took. */
export const Timeline = ({ of: moments }: { readonly of: readonly Moment[] }) => (
  <ol class="timeline">
    {moments.map(({ what, at, seconds, status, share }, index) => (
      // A step may come twice, and moments only get more.
      <li key={`${index} ${what}`}>
        {status === undefined ? null : <Mark word={status} />}{' '}
        <span class={status === undefined ? '' : 'step'}>{what}</span>{' '}
        <span class="muted">
          {at === undefined ? null : <Time at={at} />}
          {at === undefined || seconds === undefined ? '' : ', '}
          {seconds === undefined ? '' : `took ${spanText(seconds)}`}
        </span>
        {share === undefined ? null : (
          <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect width={Math.max(1, Math.round(share * 100))} height="4" />
          </svg>
        )}
      </li>
    ))}
  </ol>
);

/** Lines of a log, each with its level. Whoever uses a keyboard can scroll them. */
export const LogLines = ({ of: lines, label }: { readonly of: readonly LoggedLine[]; readonly label: string }) => (
  <div class="log" tabIndex={0} role="region" aria-label={label}>
    <ol>
      {lines.map(({ text, level, at, from, count, isMarked }, index) => (
        <li key={`${index} ${text}`} class={isMarked ? 'marked' : ''}>
          {level === '' ? null : <Mark word={level} />}{' '}
          {at === undefined ? null : (
            <time dateTime={at} class="muted">
              {exactText(at)}
            </time>
          )}{' '}
          {from === undefined ? null : <span class="muted">{from}</span>} {text}
          {count === undefined ? '' : ` ×${count}`}
        </li>
      ))}
    </ol>
  </div>
);

const levelWords = [
  ['', 'All'],
  ['error', 'Errors'],
  ['warn', 'Warnings or worse'],
  ['info', 'Info or worse'],
] as const;

/** Searches the log of a deployment. */
function LogSearch({ result, args, actions }: Pick<ViewProps, 'result' | 'args' | 'actions'>) {
  const [asked, ask] = useState<LogQuestion>({ text: '', level: '' });
  const text = useRef<HTMLInputElement>(null);
  const level = useRef<HTMLSelectElement>(null);
  const found = useReading(actions, 'search_logs', logArguments(result, args, asked));
  const search = () => {
    const question = { text: text.current!.value, level: level.current!.value };
    ask(question);
    found.read(logArguments(result, args, question));
  };
  const lines = found.result === undefined ? undefined : foundLines(found.result);
  return (
    <section>
      <h2>Log</h2>
      {/* Hosts need not let a view send forms, and then tell it nothing of them. */}
      <div class="search" role="search">
        <label>
          Text <input ref={text} type="search" onKeyDown={({ key }) => key === 'Enter' && search()} />
        </label>
        <label>
          Level{' '}
          <select ref={level}>
            {levelWords.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={search}>
          Search
        </button>
      </div>
      <p role="status" class="muted">
        {found.isReading ? 'Searching…' : lines === undefined ? '' : `${lines.length} lines are shown.`}
      </p>
      {found.failed === undefined ? null : <Words result={found.failed} />}
      {lines === undefined ? null : lines.length === 0 ? (
        <Words result={found.result!} />
      ) : (
        <LogLines of={lines} label="Lines that were found" />
      )}
    </section>
  );
}

function Deployment({ args, result: first, actions }: ViewProps) {
  const about = subjectOf(first, args);
  const isReadable = Object.keys(about).length > 0;
  const reading = useReading(actions, 'diagnose_deployment', about, first);
  const result = reading.result ?? first;
  const { subject, outcome, cause, also, blocked, changes, moments, lines, facts, addresses } = deploymentStory(result);
  return (
    <>
      <Heading reading={isReadable ? reading : undefined}>
        {subject} <Mark word={outcome} />
      </Heading>
      {cause === undefined ? null : (
        <section class="cause">
          <h2>Diagnosis</h2>
          <p>{cause.sentence}</p>
          <p class="muted">
            {cause.confidence === undefined ? '' : `Confidence: ${cause.confidence}. `}
            {cause.why === undefined ? '' : `Based on: ${cause.why}.`}
          </p>
          {also.length === 0 ? null : <Notices label="Perhaps also" of={also} />}
        </section>
      )}
      {blocked.length === 0 ? null : (
        <section>
          <h2>Locked: nothing can be deployed</h2>
          <Facts of={blocked} />
        </section>
      )}
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
      <Facts of={[...facts, ...addresses.map((address, index) => [`address ${index + 1}`, address] as const)]} />
      {changes.length === 0 ? null : (
        <section>
          <h2>Changed since the last good deployment</h2>
          <Notices label="Changes" of={changes} />
        </section>
      )}
      {moments.length === 0 ? null : (
        <section>
          <h2>Steps</h2>
          <Timeline of={moments} />
        </section>
      )}
      {lines.length === 0 ? null : (
        <section>
          <h2>Lines that matter</h2>
          <LogLines of={lines} label="Lines that matter" />
        </section>
      )}
      {isReadable ? (
        <LogSearch key={textOf(answerIn(result)['subject'])} result={result} args={args} actions={actions} />
      ) : null}
    </>
  );
}

/** A deployment: how it went step by step, why it failed, what to do, and its log; or what one would do. */
export const DeploymentView = (props: ViewProps) =>
  isPlan(props.result) ? <PlanView {...props} /> : <Deployment {...props} />;
