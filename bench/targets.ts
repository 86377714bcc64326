import type { Figure } from './figure.ts';

/** A target for the ratio of a figure. */
export interface RatioTarget {
  readonly bound: 'at most' | 'at least';
  readonly ratio: number;
}

interface TargetRule extends RatioTarget {
  readonly measurement: string;
  readonly figure: RegExp;
}

const atMost = (ratio: number, measurement: string, figure: RegExp): TargetRule => ({
  bound: 'at most',
  ratio,
  measurement,
  figure,
});
const atLeast = (ratio: number, measurement: string, figure: RegExp): TargetRule => ({
  bound: 'at least',
  ratio,
  measurement,
  figure,
});

/** Logarithmic growth from 10 to 100,000 items. */
const logarithmic = Math.log(100_000) / Math.log(10);

const targets: readonly TargetRule[] = [
  atMost(3, 'start', /^20.., warm: handshake$/),
  atMost(3.4, 'start', /^20.., warm: tools\/list$/),
  atMost(4.2, 'start', /^20.., cold: tools\/list$/),
  atMost(1.6, 'memory', /^this server: after tools\/list$/),
  atMost(1.8, 'memory', /^with a remote platform: after one call$/),
  atMost(4.2, 'memory', /^with a remote platform: two seconds after/),
  atLeast(5, 'list', /^lists, cached$/),
  atMost(2.5, 'calls', /^stdio 20..: median$/),
  atMost(3, 'calls', /^HTTP 2026: median$/),
  atLeast(0.8, 'calls', /^(?:stdio 20..|HTTP 2026): 16 concurrent$/),
  atMost(1.1, 'heap', /: after 100,000 calls$/),
  atLeast(0.5, 'platform', /^status, by CPU time$/),
  atLeast(0.3, 'platform', /^log, by CPU time$/),
  atLeast(0.2, 'platform', /^(?:start a deployment|deployment until its end), by CPU time$/),
  atMost(3, 'engine', /^read, with 200 deployments running: p99$/),
  atLeast(0.5, 'platforms', /^1 on PostgreSQL: .*, by CPU time$/),
  atLeast(1.5, 'platforms', /^2 on PostgreSQL: .*, with cores for all$/),
  atMost(4, 'variables', /^a variable of a project is changed, seen by 200 services$/),
  atMost(1.6, 'others', /^infra-mcp: handshake$/),
  atMost(2.7, 'masking', / again and again$/),
  atMost(logarithmic, 'growth', /, 100,000$/),
  atMost(1, 'deploy', /: longer through the API/),
  // 20 seconds with the heartbeat of a new swarm, 5 with that of one second.
  atMost(4, 'nodes', /^default: all run elsewhere$/),
  atMost(5, 'nodes', /^failover: fast: all run elsewhere$/),
];

/** The target of a figure; undefined if it has none. */
export const targetFor = (measurement: string, name: string): RatioTarget | undefined =>
  targets.find((one) => one.measurement === measurement && one.figure.test(name));

/** Whether a figure meets its target. */
export const isMet = ({ bound, ratio }: RatioTarget, figure: Figure): boolean =>
  bound === 'at most' ? figure.ratio! <= ratio : figure.ratio! >= ratio;
