import * as z from 'zod';
import { addressFaultText, AlertRuleRequest, readHttpAddress } from '../../contract/index.ts';
import type { RealClusters } from '../../platform/index.ts';
import { readConfiguredValue } from './configured-file.ts';

const fields = AlertRuleRequest.shape;
const condition = fields.condition.shape;

const Name = fields.name;

/** The alerts of the clusters file: receivers, and rules about clusters. */
export const AlertsOfFile = z.strictObject({
  receivers: z
    .record(Name, z.strictObject({ url_file: z.string(), kind: z.enum(['STANDARD', 'SLACK']).default('STANDARD') }))
    .default({}),
  rules: z
    .record(
      Name,
      z.strictObject({
        cluster: z.string(),
        condition: condition.promql,
        operator: condition.operator,
        threshold: condition.threshold,
        function: condition.function,
        for: fields.for_duration.default('PT5M'),
        severity: fields.severity.default('MEDIUM'),
        description: z.string().default(''),
        summary: z.string().optional(),
        runbook_url: fields.presentation.shape.runbook_url,
        receivers: z.array(z.string()).min(1),
      }),
    )
    .default({}),
});

/**
 * Converts the alerts of the clusters file to the platform's settings.
 * @param clusters the names of the clusters in the file
 * @param from resolves a path of the clusters file
 * @throws Error that names a missing cluster or receiver, or the receiver whose address can't be read
 */
export async function alertSettings(
  { receivers, rules }: z.output<typeof AlertsOfFile>,
  clusters: readonly string[],
  from: (path: string) => string,
): Promise<NonNullable<RealClusters['alerts']>> {
  for (const [name, { cluster, receivers: told }] of Object.entries(rules)) {
    if (!clusters.includes(cluster))
      throw new Error(
        `The alert rule "${name}" of the clusters file is about the cluster "${cluster}", which the file doesn't have.`,
      );
    const unknown = told.find((each) => !Object.hasOwn(receivers, each));
    if (unknown !== undefined)
      throw new Error(
        `The alert rule "${name}" of the clusters file tells "${unknown}", which is not among its receivers.`,
      );
  }
  return {
    receivers: await Promise.all(
      Object.entries(receivers).map(async ([name, { url_file: file, kind }]) => {
        const url = await readConfiguredValue(from(file), `The url_file of the receiver "${name}"`);
        const address = readHttpAddress(url);
        if (typeof address === 'string')
          throw new Error(
            `The file ${from(file)} must hold the http or https address of the receiver "${name}", and nothing else: it ${addressFaultText(address)}.`,
          );
        return { name, kind, url: address.url };
      }),
    ),
    rules: Object.entries(rules).map(
      ([
        name,
        {
          cluster,
          condition: promql,
          operator,
          threshold,
          function: reduce,
          for: duration,
          severity,
          description,
          summary,
          runbook_url: runbook,
          receivers: told,
        },
      ]) => ({
        name,
        cluster,
        description,
        severity,
        for_duration: duration,
        receivers: told,
        condition: { kind: 'CUSTOM' as const, promql, operator, threshold, function: reduce },
        presentation: { ...(summary !== undefined && { summary }), ...(runbook && { runbook_url: runbook }) },
      }),
    ),
  };
}
