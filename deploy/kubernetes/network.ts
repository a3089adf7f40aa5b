/** Network policies: all traffic that is not listed here is denied, in both directions. */
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IIoK8sApiNetworkingV1NetworkPolicyEgressRule as Egress } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyEgressRule";
import type { IIoK8sApiNetworkingV1NetworkPolicyIngressRule as Ingress } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyIngressRule";
import { services } from "../system/secrets.ts";
import { natsPorts } from "./nats.ts";
import { grpcClientsOf, isService, labels, namespace, ports, processes, type Process } from "./processes.ts";

const pods = (...names: string[]) => names.map((name) => ({ podSelector: { matchLabels: labels(name) } }));
const tcp = (...numbers: number[]) => numbers.map((port) => ({ protocol: "TCP" as const, port }));
const namespaced = (name: string) => [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } }];
const monitoring = namespaced("monitoring");
/** Namespace of the ingress controller, which alone reaches the gateway. */
const ingressController = namespaced("ingress-nginx");

const policy = (name: string, podLabels: Record<string, string>, rules: { ingress?: Ingress[]; egress?: Egress[] }): INetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "freehold" } },
  spec: { podSelector: Object.keys(podLabels).length > 0 ? { matchLabels: podLabels } : {}, policyTypes: ["Ingress", "Egress"], ...rules },
});

const dns: Egress = {
  to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }],
  ports: [{ protocol: "UDP", port: 53 }, ...tcp(53)],
};
/** Egress to PostgreSQL, which may run inside or outside of the cluster. */
const database: Egress = { ports: tcp(5432) };
const nats: Egress = { to: pods("nats"), ports: tcp(natsPorts.client) };
const traces: Egress = { to: monitoring, ports: tcp(4317, 4318) };
const metrics: Ingress = { from: monitoring, ports: tcp(ports.metrics) };

function processPolicy({ name, grpcTargets }: Process): INetworkPolicy {
  const grpcClients = grpcClientsOf(name);
  // The mail server, the SMS provider and the translation service.
  const mail: Egress = { ports: tcp(25, 443, 465, 587) };
  const ingress: Ingress[] = isService(name)
    ? [{ from: pods("gateway"), ports: tcp(ports.http) }, ...(grpcClients.length > 0 ? [{ from: pods(...grpcClients), ports: tcp(ports.grpc) }] : [])]
    : [{ from: ingressController, ports: tcp(ports.http) }];
  const egress: Egress[] = isService(name)
    ? [database, ...(grpcTargets.length > 0 ? [{ to: pods(...grpcTargets), ports: tcp(ports.grpc) }] : []), ...(name === "communications" ? [mail] : [])]
    : [{ to: pods(...services), ports: tcp(ports.http) }];
  return policy(name, labels(name), { ingress: [...ingress, metrics], egress: [dns, nats, traces, ...egress] });
}

/** Network policies of all pods of the namespace. */
export const networkPolicies = (): INetworkPolicy[] => [
  policy("default-deny-all", {}, {}),
  policy("migration", { "app.kubernetes.io/component": "migration" }, { egress: [dns, database] }),
  policy("nats", labels("nats"), {
    ingress: [
      { from: pods(...processes.map(({ name }) => name)), ports: tcp(natsPorts.client) },
      { from: pods("nats"), ports: tcp(natsPorts.cluster) },
      { from: monitoring, ports: tcp(natsPorts.monitor) },
    ],
    egress: [dns, { to: pods("nats"), ports: tcp(natsPorts.cluster) }],
  }),
  ...processes.map(processPolicy),
];
