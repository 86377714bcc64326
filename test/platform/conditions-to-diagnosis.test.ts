import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import {
  Condition,
  conditionChain,
  dataOf,
  readCondition,
  reasonNames,
  storedCondition,
} from '../../src/contract/conditions/index.ts';
import { deployment, failedDeployment } from '../analysis/evidence.ts';
import type { MadeCondition } from './conditions/made-condition.ts';
import { ofAlerts } from './conditions/of-alerts.ts';
import { ofBackups } from './conditions/of-backups.ts';
import { ofDeployments } from './conditions/of-deployments.ts';
import { ofEngine } from './conditions/of-engine.ts';
import { ofGit } from './conditions/of-git.ts';
import { ofImages } from './conditions/of-images.ts';
import { ofInstances } from './conditions/of-instances.ts';
import { ofLogs } from './conditions/of-logs.ts';
import { ofNodes } from './conditions/of-nodes.ts';
import { ofPlacement } from './conditions/of-placement.ts';
import { ofRoutes } from './conditions/of-routes.ts';

const all: readonly MadeCondition[] = [
  ...ofNodes,
  ...ofPlacement,
  ...ofInstances,
  ...ofDeployments,
  ...ofImages,
  ...ofGit,
  ...ofEngine,
  ...ofBackups,
  ...ofLogs,
  ...ofRoutes,
  ...ofAlerts,
];

/** The diagnosis of a service of which this is told. @param told as it was sent or stored */
const diagnosed = ({ place, code, kind }: MadeCondition, told: readonly Condition[]) =>
  place === 'status'
    ? diagnose({
        ...failedDeployment({ ...(kind && { kind }) }),
        history: [
          deployment({
            id: 'good',
            minute: 10,
            status: 'DEPLOYED',
            status_details: { action: 'DEPLOY', status: 'SUCCESS' },
          }),
        ],
        status: {
          deployment_request_id: 'good',
          state: 'UNAVAILABLE',
          running: { warnings: told.map(({ message }) => message), conditions: [...told] },
        },
      })
    : diagnose(
        failedDeployment({
          state: /git|docker/.test(code ?? '') ? 'BUILD_ERROR' : 'DEPLOYMENT_ERROR',
          lines: told,
          ...(kind && { kind }),
        }),
      );

/** The same condition, and those that caused it, with another sentence. */
const reworded = (told: Condition): Condition =>
  JSON.parse(JSON.stringify(told, (key, value: unknown) => (key === 'message' ? 'x' : value))) as Condition;

describe('a condition is read by its reason and its data', () => {
  test.each(all)('$reason, in the $place: $code', async (made) => {
    const { reason, code, confidence = 'high' } = made;
    const produced = [await made.make()].flat().map((each) => each!);
    const told = produced.map((each) => readCondition(storedCondition(each)));
    expect(told).toEqual(produced);
    // What answers may say.
    expect(told.map((each) => Condition.parse(each))).toEqual(told);
    const own = conditionChain(told.at(-1)!).find((each) => each.reason === reason);
    expect(own && dataOf(own, reason)).toBeDefined();
    const { cause, next } = diagnosed(made, told);
    expect([cause.code, cause.confidence]).toEqual(code === undefined ? ['unknown', undefined] : [code, confidence]);
    // Whatever their sentences are.
    const after = diagnosed(made, told.map(reworded));
    expect([after.cause, after.next]).toEqual([cause, next]);
  });

  test('every reason is made by what makes it', () => {
    const made = new Set(all.map(({ reason }) => reason));
    expect(reasonNames.filter((reason) => !made.has(reason))).toEqual([]);
  });
});
