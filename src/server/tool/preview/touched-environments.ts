import { isDeepStrictEqual } from 'node:util';
import { isProduction, productionFirst } from '../../../contract/index.ts';
import type { Target } from '../../context/index.ts';
import { showName } from './preview.ts';

const modeText = ({ kind, mode }: Target): string => {
  if (mode === 'none') return '';
  if (kind === 'cluster')
    return isProduction(mode)
      ? ', which hosts production'
      : ', of which could not be found out whether it hosts production';
  return mode === 'unknown' ? ', whose mode could not be determined' : `, ${mode}`;
};

/** Maximum number of a cluster's environments that are listed one by one. */
const maximumHosted = 10;

const lineOf = (target: Target): string => {
  if (target.why === 'elsewhere')
    return 'May touch another environment: where all that it names lies could not be found out.';
  if (target.why === 'inherits' && target.id === undefined)
    return 'Touches every environment of the project; which there are could not be found out.';
  const { kind, id, name, project, why } = target;
  const around = why === 'hosted' && project?.name !== undefined ? ` of project ${showName(project.name)}` : '';
  const called = `${kind.replaceAll('_', ' ')}${name === undefined ? '' : ` ${showName(name)}`}${around}${modeText(target)}`;
  return id === undefined ? `Makes ${called}.` : `Touches ${called} (id ${id}).`;
};

/**
 * The environments that a cluster hosts, production first: the first ones one by one, then the number of further ones.
 */
function hostedLines(hosted: readonly Target[]): readonly string[] {
  const known = hosted.filter(({ id }) => id !== undefined).toSorted(productionFirst);
  const more = known.length - maximumHosted;
  return [
    ...known.slice(0, maximumHosted).map(lineOf),
    ...(more > 0 ? [`Touches ${more} more environments that the cluster hosts.`] : []),
    ...(known.length < hosted.length
      ? ['May touch other environments: what the cluster hosts could not all be found out.']
      : []),
  ];
}

/** The resources that a call touches in addition to its targets, one line each, because they affect the call's risk. */
export const touchedLines = (targets: readonly Target[]): readonly string[] => {
  const touched = targets.flatMap((target) => target.touched ?? []);
  const others = touched.filter(
    (one) => one.why !== 'hosted' && !targets.some((target) => isDeepStrictEqual(one, target)),
  );
  return [...new Set([...others.map(lineOf), ...hostedLines(touched.filter(({ why }) => why === 'hosted'))])];
};
