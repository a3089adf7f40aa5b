/** Who may speak to whom. Whatever is not said here is refused, in both directions. */
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IIoK8sApiNetworkingV1NetworkPolicyEgressRule as Egress } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyEgressRule";
import type { IIoK8sApiNetworkingV1NetworkPolicyIngressRule as Ingress } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyIngressRule";
import { services } from "../system/secrets.ts";
import { natsPorts } from "./nats.ts";
import { grpcClientsOf, isService, labels, namespace, ports, processes, type Process } from "./processes.ts";

const pods = (...names: string[]) => names.map((name) => ({ podSelector: { matchLabels: labels(name) } }));
const tcp = (...numbers: number[]) => numbers.map((port) => ({ protocol: "TCP" as const, port }));
const observers = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];

const policy = (name: string, podSelector: INetworkPolicy["spec"] & object, rules: { ingress?: Ingress[]; egress?: Egress[] }): INetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "freehold" } },
  spec: { ...podSelector, policyTypes: ["Ingress", "Egress"], ...rules },
});

const names: Egress = {
  to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } }],
  ports: [{ protocol: "UDP", port: 53 }, ...tcp(53)],
};
/** PostgreSQL may stand anywhere: beside the cluster, or run by an operator in it. */
const database: Egress = { ports: tcp(5432) };
const bus: Egress = { to: pods("nats"), ports: tcp(natsPorts.client) };
const traces: Egress = { to: observers, ports: tcp(4317, 4318) };
const metrics: Ingress = { from: observers, ports: tcp(ports.metrics) };

function ofProcess({ name, asks }: Process): INetworkPolicy {
  const askers = grpcClientsOf(name);
  const mail: Egress = { ports: tcp(25, 465, 587) };
  const ingress: Ingress[] = isService(name)
    ? [{ from: pods("gateway"), ports: tcp(ports.http) }, ...(askers.length > 0 ? [{ from: pods(...askers), ports: tcp(ports.grpc) }] : [])]
    : [{ ports: tcp(ports.http) }];
  const egress: Egress[] = isService(name)
    ? [database, ...(asks.length > 0 ? [{ to: pods(...asks), ports: tcp(ports.grpc) }] : []), ...(name === "communications" ? [mail] : [])]
    : [{ to: pods(...services), ports: tcp(ports.http) }];
  return policy(name, { podSelector: { matchLabels: labels(name) } }, { ingress: [...ingress, metrics], egress: [names, bus, traces, ...egress] });
}

/** The walls between the pods of the namespace. */
export const networkPolicies = (): INetworkPolicy[] => [
  policy("nobody-by-default", { podSelector: {} }, {}),
  policy("migration", { podSelector: { matchLabels: { "app.kubernetes.io/component": "migration" } } }, { egress: [names, database] }),
  policy(
    "nats",
    { podSelector: { matchLabels: labels("nats") } },
    {
      ingress: [
        { from: pods(...processes.map(({ name }) => name)), ports: tcp(natsPorts.client) },
        { from: pods("nats"), ports: tcp(natsPorts.cluster) },
        { from: observers, ports: tcp(natsPorts.monitor) },
      ],
      egress: [names, { to: pods("nats"), ports: tcp(natsPorts.cluster) }],
    },
  ),
  ...processes.map(ofProcess),
];
