import { objectsOf } from '../../scripts/shipping/kubernetes.ts';
import { about } from '../../scripts/shipping/about.ts';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** What the tests read of a container. */
export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string; readonly valueFrom?: object }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly limits: Record<string, string> };
  readonly securityContext: Record<string, unknown>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
  }[];
}

interface NetworkRule {
  readonly from?: readonly object[];
  readonly to?: readonly object[];
  readonly ports: readonly { readonly port: string | number; readonly protocol: string }[];
}

/** A Kubernetes object; only what the tests read of it has a type. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly data?: Record<string, string>;
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly metadata: { readonly labels: Record<string, string> }; readonly spec: Pod };
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[];
    readonly ports: readonly { readonly targetPort: string }[];
    readonly selector: Record<string, string> & { readonly matchLabels: Record<string, string> };
    readonly podSelector: { readonly matchLabels: Record<string, string> };
    readonly serviceName: string;
    readonly rules: readonly unknown[];
    readonly ingress: readonly NetworkRule[];
    readonly egress: readonly NetworkRule[];
  };
}

export const chart = { name: about.name, appVersion: about.version };

/** The objects that the chart comes to. @param values over the chart's own. */
export const rendered = async (
  values: Readonly<Record<string, unknown>> = {},
  release = 'team',
): Promise<KubernetesObject[]> =>
  (await objectsOf({ name: release, service: 'Helm' }, chart, values)) as unknown as KubernetesObject[];

/** The objects that the chart comes to with its own values. */
export const objects = await rendered();

export const objectOf = (kind: string, from = objects): KubernetesObject => from.find((one) => one.kind === kind)!;
const { spec: pod, metadata: podMetadata } = objectOf('StatefulSet').spec.template;
export { pod, podMetadata };
export const container = pod.containers[0]!;
export const containerEnv = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
