import { useEffect, useState } from 'preact/hooks';
import type { ViewProps } from '../actions.ts';
import {
  chartLine,
  chartSize,
  figureText,
  measuredServices,
  measures,
  pointsOf,
  tellsMeasurements,
  withMeasured,
  type Figure,
  type History,
  type Measure,
  type MeasuredService,
  type Point,
} from '../mapping/measurements.ts';
import { answerIn } from '../mapping/result.ts';
import { Facts, NotRead, Notices, Proposals, Time } from './basics.tsx';
import { Heading, useReading } from './reading.tsx';

/** How often it is measured, in milliseconds. */
const interval = 20_000;

const words: Readonly<Record<Measure, string>> = { cpu: 'CPU', memory: 'Memory', requests: 'Requests' };

/** A figure in words, with how much of its limit it is, and how it went since the view is open. */
function Chart({
  name,
  figure,
  points,
}: {
  readonly name: string;
  readonly figure: Figure;
  readonly points: readonly Point[];
}) {
  const { used, limit } = figure;
  const line = chartLine(points, limit);
  const { width, height } = chartSize;
  return (
    <div class="chart">
      <div>
        <span class="muted">{name}</span> {figureText(figure)}
      </div>
      {limit === undefined ? null : (
        <svg
          class={`bar ${used > 0.9 * limit ? 'full' : ''}`}
          viewBox="0 0 100 4"
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <rect width={Math.min(100, (used / limit) * 100)} height="4" />
        </svg>
      )}
      {line === '' ? null : (
        <svg
          class="line"
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${name}: ${points.length} measurements, from ${points[0]!.used} to ${points.at(-1)!.used} ${figure.unit}`}
        >
          <polyline points={line} />
        </svg>
      )}
    </div>
  );
}

function Service({ of: service, history }: { readonly of: MeasuredService; readonly history: History }) {
  const { id, name, kind, state, at, figures, facts, missing } = service;
  return (
    <li>
      <h2>
        {name} <span class="muted">{kind}</span>
      </h2>
      <p class="muted">
        {state}{' '}
        {at === undefined ? (
          'not measured'
        ) : (
          <>
            measured <Time at={at} />
          </>
        )}
      </p>
      <div class="charts">
        {measures.map((measure) => {
          const figure = figures[measure];
          return figure === undefined ? null : (
            <Chart key={measure} name={words[measure]} figure={figure} points={pointsOf(history, id, measure)} />
          );
        })}
      </div>
      <Facts of={facts} />
      {missing.length === 0 ? null : <Notices label="What could not be measured" of={missing} />}
    </li>
  );
}

/** What services use: CPU, memory and requests, each as a figure, and as a line once there are several. */
export function MeasurementsView({ args, result: first, actions }: ViewProps) {
  const tool = answerIn(first)['results'] === undefined ? 'get_service' : 'list_services';
  const reading = useReading(actions, tool, args, first);
  const result = reading.result ?? first;
  const [history, setHistory] = useState<History>(new Map());
  const [isLive, setLive] = useState(false);
  useEffect(() => setHistory((before) => withMeasured(before, measuredServices(result))), [result]);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => document.hidden || reading.read(), interval);
    return () => clearInterval(timer);
  });
  const services = measuredServices(result);
  return (
    <>
      <Heading reading={reading}>Measurements</Heading>
      {services.length === 0 ? (
        <p>
          {tellsMeasurements(result)
            ? 'None of these services is measured. Only services that run on a real engine are.'
            : 'This list has no measurements. Show a service, a project or everything to see some.'}
        </p>
      ) : (
        <label>
          <input type="checkbox" checked={isLive} onChange={() => setLive(!isLive)} /> Read again every 20 seconds
        </label>
      )}
      <ul class="plain">
        {services.map((service) => (
          <Service key={service.id} of={service} history={history} />
        ))}
      </ul>
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
    </>
  );
}
