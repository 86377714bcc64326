import { useState } from 'preact/hooks';
import type { ViewActions, ViewProps } from '../actions.ts';
import {
  environmentState,
  isOfEnvironment,
  organizationTree,
  type AlertRow,
  type EnvironmentNode,
  type EnvironmentState,
  type OrganizationNotice,
  type ServiceLeaf,
} from '../mapping/organization.ts';
import { Counts, Facts, Mark, NotRead, Proposals, TextWithTimes, Time, Words } from './basics.tsx';
import { Heading, useReading } from './reading.tsx';

const noticeWords: Readonly<Record<OrganizationNotice['kind'], string>> = {
  lock: 'Locked',
  cluster: 'Cluster out of use',
  alert: 'Alert',
  unwatched: 'Not watched',
  nodes: 'Also',
};

function NoticeList({ of: notices }: { readonly of: readonly OrganizationNotice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul class="notices" aria-label="Locks, clusters and alerts">
      {notices.map(({ kind, text }) => (
        <li key={`${kind} ${text}`}>
          <strong>{noticeWords[kind]}</strong> <TextWithTimes text={text} />
        </li>
      ))}
    </ul>
  );
}

const Service = ({ of: { name, kind, condition, state, facts } }: { readonly of: ServiceLeaf }) => (
  <li>
    <details>
      <summary>
        <Mark word={condition} /> <strong>{name}</strong> <span class="muted">{kind}</span>
      </summary>
      <Facts of={[...facts, ['state', state]]} />
    </details>
  </li>
);

function Alerts({ of: alerts }: { readonly of: readonly AlertRow[] }) {
  if (alerts.length === 0) return null;
  return (
    <ul class="notices" aria-label="Alerts that fire">
      {alerts.map(({ name, severity, about, since, told }) => (
        <li key={name}>
          <Mark word={severity} /> <strong>{name}</strong>
          {about === undefined ? '' : ` about ${about}`}
          {since === undefined ? null : (
            <>
              , since <Time at={since} />
            </>
          )}
          {told === undefined ? '' : `, told: ${told}`}
        </li>
      ))}
    </ul>
  );
}

/** The services of an environment, with its lock and its alerts. */
export const Services = ({ of: { services, alerts, notices } }: { readonly of: EnvironmentState }) => (
  <>
    <NoticeList of={notices} />
    <Alerts of={alerts} />
    {services.length === 0 ? (
      <p class="muted">It has no services.</p>
    ) : (
      <ul class="tree">
        {services.map((service) => (
          <Service key={service.id} of={service} />
        ))}
      </ul>
    )}
  </>
);

/** An environment of the tree. Its services are read when it is opened. */
function Environment({ of: environment, actions }: { readonly of: EnvironmentNode; readonly actions: ViewActions }) {
  const { path, name, mode, condition, since, by, what } = environment;
  const services = useReading(actions, 'get_environment_overview', { environment: path });
  const [wasOpened, setOpened] = useState(false);
  const open = () => {
    if (wasOpened) return;
    setOpened(true);
    services.read();
  };
  return (
    <li>
      <details onToggle={open}>
        <summary>
          <Mark word={condition} /> <strong>{name}</strong> <span class="muted">{mode}</span>
          {what === undefined ? null : <span class="what">{what}</span>}
        </summary>
        <Facts
          of={[
            ...(since === undefined ? [] : [['since', <Time key="since" at={since} />] as const]),
            ...(by === undefined ? [] : [['by', by] as const]),
          ]}
        />
        <p role="status" class="muted">
          {services.isReading ? 'Reading its services…' : ''}
        </p>
        {services.failed === undefined ? null : <Words result={services.failed} />}
        {services.result === undefined ? null : (
          <>
            <Services of={environmentState(services.result)} />
            <NotRead result={services.result} />
          </>
        )}
      </details>
    </li>
  );
}

function Organization({ args, result: first, actions }: ViewProps) {
  const reading = useReading(actions, 'get_organization_overview', args, first);
  const result = reading.result ?? first;
  const { title, counts, services, projects, notices, page, pages } = organizationTree(result);
  return (
    <>
      <Heading reading={reading}>{title || 'Organization'}</Heading>
      <Counts of={counts} noun="Environments" />
      <Counts of={services} noun="Services" />
      <NoticeList of={notices} />
      {projects.length === 0 ? <p>No environment is shown here.</p> : null}
      {projects.map((project) => (
        <section key={project.name}>
          <h2>
            {project.name} <Mark word={project.condition} />
          </h2>
          <ul class="tree">
            {project.environments.map((environment) => (
              <Environment key={environment.path} of={environment} actions={actions} />
            ))}
          </ul>
        </section>
      ))}
      {pages > 1 ? (
        <p class="muted">
          Page {page} of {pages}, worst first.
        </p>
      ) : null}
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
    </>
  );
}

function OneEnvironment({ args, result: first, actions }: ViewProps) {
  const reading = useReading(actions, 'get_environment_overview', args, first);
  const result = reading.result ?? first;
  const state = environmentState(result);
  return (
    <>
      <Heading reading={reading}>{state.path}</Heading>
      <Counts of={state.counts} noun="Services" />
      <Services of={state} />
      <NotRead result={result} />
      <Proposals result={result} actions={actions} />
    </>
  );
}

/** The state of an organization or an environment: a tree, worst first, with locks and alerts. */
export const OrganizationView = (props: ViewProps) =>
  isOfEnvironment(props.result) ? <OneEnvironment {...props} /> : <Organization {...props} />;
