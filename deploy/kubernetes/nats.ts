/** Cluster of three NATS servers with JetStream, which tolerates the loss of one server. */
import type { IStatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IService } from "kubernetes-models/v1/Service";
import { CONTAINER_CERTIFICATE_DIR, natsConfiguration } from "../nats/configuration.ts";
import { CERTIFICATE_SECRET, containerSecurity, disruptionBudget, podSecurity, SECRET_FILE_MODE, spreadConstraints } from "./process.ts";
import { labels, namespace } from "./processes.ts";

export const natsPorts = { client: 4222, cluster: 6222, monitor: 8222 } as const;
const SERVER_COUNT = 3;
const metadata = (name: string) => ({ name, namespace, labels: labels("nats") });

const clusterRoutes = Array.from({ length: SERVER_COUNT }, (_, index) => `nats://nats-${index}.nats-servers:${natsPorts.cluster}`);

/** Configuration file of each server. The server name is the name of its pod. */
export const clusterConfiguration = natsConfiguration({
  server: `server_name: $POD_NAME
listen: 0.0.0.0:${natsPorts.client}
http: 0.0.0.0:${natsPorts.monitor}
pid_file: /run/nats/nats.pid
lame_duck_grace_period: 5s
lame_duck_duration: 30s
jetstream {
  store_dir: /data
  max_file_store: 9G
}`,
  certificateDir: CONTAINER_CERTIFICATE_DIR,
  cluster: { listen: `0.0.0.0:${natsPorts.cluster}`, routes: clusterRoutes },
});

const configuration: IConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: metadata("nats"), data: { "nats.conf": clusterConfiguration } };

const services: IService[] = [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("nats"),
    spec: { selector: labels("nats"), ports: [{ name: "client", port: natsPorts.client, targetPort: "client" }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("nats-servers"),
    // The servers discover each other before they are ready.
    spec: {
      selector: labels("nats"),
      clusterIP: "None",
      publishNotReadyAddresses: true,
      ports: [{ name: "cluster", port: natsPorts.cluster, targetPort: "cluster" }],
    },
  },
];

const healthz = (query: string) => ({ httpGet: { path: `/healthz${query}`, port: "monitor" as const }, timeoutSeconds: 5, periodSeconds: 10 });

/** Secret with the file of the passwords that the configuration includes. */
export const PASSWORD_SECRET = "nats";

const server: IContainer = {
  name: "nats",
  image: "nats:2.12.8-alpine",
  command: ["nats-server", "--config", "/etc/nats/nats.conf"],
  env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  ports: Object.entries(natsPorts).map(([name, containerPort]) => ({ name, containerPort })),
  // Liveness checks only that JetStream is enabled, so that a server in recovery is not restarted.
  startupProbe: { ...healthz("?js-server-only=true"), failureThreshold: 60 },
  readinessProbe: healthz("?js-server-only=true"),
  livenessProbe: { ...healthz("?js-enabled-only=true"), failureThreshold: 3 },
  // Lame duck mode moves the clients to other servers before the stop.
  lifecycle: { preStop: { exec: { command: ["nats-server", "--signal", "ldm=/run/nats/nats.pid"] } } },
  resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
  volumeMounts: [
    { name: "configuration", mountPath: "/etc/nats" },
    { name: "data", mountPath: "/data" },
    { name: "run", mountPath: "/run/nats" },
    { name: "certificates", mountPath: CONTAINER_CERTIFICATE_DIR },
  ],
  ...containerSecurity,
};

const servers: IStatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: metadata("nats"),
  spec: {
    serviceName: "nats-servers",
    replicas: SERVER_COUNT,
    podManagementPolicy: "Parallel",
    selector: { matchLabels: labels("nats") },
    template: {
      metadata: { labels: labels("nats") },
      spec: {
        ...podSecurity,
        terminationGracePeriodSeconds: 60,
        topologySpreadConstraints: spreadConstraints("nats"),
        containers: [server],
        volumes: [
          {
            name: "configuration",
            projected: { defaultMode: SECRET_FILE_MODE, sources: [{ configMap: { name: "nats" } }, { secret: { name: PASSWORD_SECRET } }] },
          },
          { name: "run", emptyDir: {} },
          { name: "certificates", secret: { secretName: CERTIFICATE_SECRET, defaultMode: SECRET_FILE_MODE } },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
      },
    ],
  },
};

/** Manifests of NATS without its network policy. */
export const natsManifests = () => [configuration, ...services, servers, disruptionBudget("nats")];
