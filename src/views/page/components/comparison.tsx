import type { ViewProps } from '../actions.ts';
import { comparison, isComparison, type Difference } from '../mapping/comparison.ts';
import { isPlan } from '../mapping/plan.ts';
import { NotRead, Notices, Proposals } from './basics.tsx';
import { ChangedView, PlanView } from './plan.tsx';
import { Heading, useReading } from './reading.tsx';

const Side = ({ name, value }: { readonly name: string; readonly value: string | undefined }) => (
  <td data-column={name}>{value ?? <span class="muted">not there</span>}</td>
);

/** The differences of one kind, side by side; on a narrow screen one below the other. */
function Differences({
  of: differences,
  caption,
  first,
  second,
}: {
  readonly of: readonly Difference[];
  readonly caption: string;
  readonly first: string;
  readonly second: string;
}) {
  return (
    <table class="sides">
      <caption>
        <h2>
          {caption} <span class="muted">{differences.length}</span>
        </h2>
      </caption>
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">{first}</th>
          <th scope="col">{second}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ service, what, first: one, second: other }) => (
          <tr key={`${service ?? ''} ${what}`}>
            <th scope="row">
              {service === undefined ? '' : `${service}: `}
              {what}
            </th>
            <Side name={first} value={one} />
            <Side name={second} value={other} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Compared({ args, result: given, actions }: ViewProps) {
  const reading = useReading(actions, 'compare_environments', args, given);
  const result = reading.result ?? given;
  const { first, second, pairs, same, kinds, notComparable } = comparison(result);
  return (
    <>
      <Heading reading={reading}>
        {first} and {second}
      </Heading>
      <p>
        {pairs} services in common, {same} of them alike{notComparable.length === 0 ? '' : ' as far as compared'}.
      </p>
      {kinds.length === 0 ? <p>No difference was found.</p> : null}
      {kinds.map(({ kind, differences }) => (
        <Differences key={kind} of={differences} caption={kind} first={first} second={second} />
      ))}
      {notComparable.length === 0 ? null : (
        <section>
          <h2>Not compared, because it is hidden</h2>
          <Notices label="Not compared" of={notComparable} />
        </section>
      )}
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
    </>
  );
}

/** A difference: of two environments, what a call would change, or what it changed. */
export const ComparisonView = (props: ViewProps) =>
  isPlan(props.result) ? (
    <PlanView {...props} />
  ) : isComparison(props.result) ? (
    <Compared {...props} />
  ) : (
    <ChangedView {...props} />
  );
