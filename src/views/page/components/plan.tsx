import type { ViewProps } from '../actions.ts';
import { changesIn, plainFacts, planIn, withoutDryRun } from '../mapping/plan.ts';
import { Facts, Mark, NotRead, Notices, Proposals, ProposeButton } from './basics.tsx';

/** What a dry run says: what would be done, to what, how grave it is, and how to have it carried out. */
export function PlanView({ args, result, actions }: ViewProps) {
  const { tool, tier, summary, target, mode, effects, requests } = planIn(result);
  return (
    <>
      <header>
        <h1>
          Plan of {tool} <Mark word={tier} />
        </h1>
      </header>
      <p>
        <strong>Nothing was done.</strong> {summary}
      </p>
      <p>
        On {target} {mode === '' ? null : <strong class={mode === 'PRODUCTION' ? 'bad' : ''}>{mode}</strong>}
      </p>
      {effects.length === 0 ? null : (
        <section>
          <h2>What would happen</h2>
          <Notices label="What would happen" of={effects} />
        </section>
      )}
      <section>
        <h2>Requests</h2>
        <ul class="tree">
          {requests.map(({ request, body, unchanged }) => (
            <li key={`${request} ${JSON.stringify(body)}`}>
              <details>
                <summary>
                  <code>{request}</code>
                </summary>
                <Facts of={body} />
                {unchanged.length === 0 ? null : <p class="muted">As it is: {unchanged.join(', ')}</p>}
              </details>
            </li>
          ))}
        </ul>
      </section>
      <NotRead result={result} />
      <p>
        <ProposeButton call={{ tool, arguments: withoutDryRun(args) }} actions={actions}>
          Ask to carry it out
        </ProposeButton>
      </p>
    </>
  );
}

/** What a call changed. */
export function ChangedView({ tool, result, actions }: ViewProps) {
  const changes = changesIn(result);
  return (
    <>
      <header>
        <h1>{tool ?? 'Result'}</h1>
      </header>
      <Facts of={plainFacts(result)} />
      {changes.length === 0 ? null : <Notices label="Changes" of={changes} />}
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
    </>
  );
}
