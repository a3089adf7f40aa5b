/** Manifests of a process: deployment, services, autoscaler and disruption budget. */
import { createHash } from "node:crypto";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IHorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { IPersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
import type { IService } from "kubernetes-models/v1/Service";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { CONTAINER_CERTIFICATE_DIR } from "../nats/configuration.ts";
import { isService, labels, namespace, ports, SECRETS_DIR, type Process } from "./processes.ts";
import { POSTGRES_CERTIFICATE_DIR } from "../postgres/url.ts";

/** Registry and version of the images. */
export interface Images {
  registry: string;
  version: string;
}

export const imageOf = (name: string, { registry, version }: Images): string => `${registry}/${name}:${version}`;

/** Minimal privileges: no root, no capabilities, read-only file system, no service account token. */
export const podSecurity = {
  automountServiceAccountToken: false,
  // Otherwise Kubernetes adds environment variables for every service of the namespace.
  enableServiceLinks: false,
  securityContext: { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, seccompProfile: { type: "RuntimeDefault" } },
} satisfies Partial<IPodSpec>;
export const containerSecurity = {
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
} satisfies Partial<IContainer>;

/** Spreads replicas over nodes and zones. */
export const spreadConstraints = (name: string) =>
  ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway" as const,
    labelSelector: { matchLabels: labels(name) },
  }));

/** Secret with the certificates of the NATS servers. */
export const CERTIFICATE_SECRET = "nats-tls";

/** Permissions of a mounted secret: readable by the group of the pod, which is the process's. */
export const SECRET_FILE_MODE = 0o440;

/** ConfigMap with the certificate of the authority of PostgreSQL, and how a pod mounts it. */
export const POSTGRES_CA_CONFIG_MAP = "postgres-ca";
export const postgresCa = {
  volume: { name: "postgres-ca", configMap: { name: POSTGRES_CA_CONFIG_MAP } },
  mount: { name: "postgres-ca", mountPath: POSTGRES_CERTIFICATE_DIR },
};

const probe = (path: string) => ({ httpGet: { path, port: "http" as const }, timeoutSeconds: 3 });

const settingsConfigMap = ({ name, settings: data }: Process): IConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: labels(name) },
  data,
});

function containerSpec(process: Process, images: Images): IContainer {
  const { name, cpu, memory, filesDir, scratchDir } = process;
  return {
    name,
    image: imageOf(name, images),
    envFrom: [{ configMapRef: { name: "installation" } }, { configMapRef: { name } }],
    ports: [
      { name: "http", containerPort: ports.http },
      ...(isService(name) ? [{ name: "grpc", containerPort: ports.grpc }] : []),
      { name: "metrics", containerPort: ports.metrics },
    ],
    startupProbe: { ...probe("/health/live"), periodSeconds: 1, failureThreshold: 60 },
    livenessProbe: { ...probe("/health/live"), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe("/health/ready"), periodSeconds: 3, failureThreshold: 2 },
    resources: { requests: { cpu, memory: "192Mi" }, limits: { memory } },
    volumeMounts: [
      { name: "secrets", mountPath: SECRETS_DIR, readOnly: true },
      { name: "nats-ca", mountPath: CONTAINER_CERTIFICATE_DIR },
      ...(isService(name) ? [postgresCa.mount] : []),
      ...(filesDir ? [{ name: "files", mountPath: filesDir }] : []),
      ...(scratchDir ? [{ name: "scratch", mountPath: scratchDir }] : []),
    ],
    ...containerSecurity,
  };
}

/** Claims a volume that the replicas on all nodes share, if the process stores files. */
const sharedFilesClaim = ({ name, filesDir }: Process): IPersistentVolumeClaim[] =>
  filesDir === undefined
    ? []
    : [
        {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          metadata: { name: `${name}-files`, namespace, labels: labels(name) },
          spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "100Gi" } } },
        },
      ];

/** Creates the deployment without a replica count, which the autoscaler controls. */
function deployment(process: Process, images: Images): IDeployment {
  const { name } = process;
  const scrapeAnnotations = { "prometheus.io/scrape": "true", "prometheus.io/port": String(ports.metrics) };
  // Replaces the pods when their settings change.
  const checksum = createHash("sha256").update(JSON.stringify(process.settings)).digest("hex").slice(0, 12);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels: labels(name) },
    spec: {
      selector: { matchLabels: labels(name) },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: labels(name), annotations: { ...scrapeAnnotations, "checksum/settings": checksum } },
        spec: {
          ...podSecurity,
          // A process exits within 15 seconds after SIGTERM, even with open requests.
          terminationGracePeriodSeconds: 30,
          topologySpreadConstraints: spreadConstraints(name),
          containers: [containerSpec(process, images)],
          volumes: [
            // Mounts the certificate authority only; the secret also contains the servers' key.
            { name: "nats-ca", secret: { secretName: CERTIFICATE_SECRET, items: [{ key: "ca.crt", path: "ca.crt" }] } },
            { name: "secrets", secret: { secretName: name, defaultMode: SECRET_FILE_MODE } },
            ...(isService(name) ? [postgresCa.volume] : []),
            ...(process.scratchDir ? [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }] : []),
            ...(process.filesDir ? [{ name: "files", persistentVolumeClaim: { claimName: `${name}-files` } }] : []),
          ],
        },
      },
    },
  };
}

/** Creates the Kubernetes Service for HTTP, and the headless one for gRPC, whose clients balance their calls over the replicas. */
function networkServices({ name }: Process): IService[] {
  const service = (serviceName: string, spec: IService["spec"]): IService => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: serviceName, namespace, labels: labels(name) },
    spec: { selector: labels(name), ...spec },
  });
  const http = service(name, { ports: [{ name: "http", port: ports.http, targetPort: "http" }] });
  return isService(name) ? [http, service(`${name}-grpc`, { clusterIP: "None", ports: [{ name: "grpc", port: ports.grpc, targetPort: "grpc" }] })] : [http];
}

const autoscaler = ({ name, replicas }: Process): IHorizontalPodAutoscaler => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name, namespace, labels: labels(name) },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: replicas.min,
    maxReplicas: replicas.max,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }],
    // Streams stay open for hours, so scale down slowly.
    behavior: { scaleDown: { stabilizationWindowSeconds: 300, policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
  },
});

export const disruptionBudget = (name: string): IPodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace, labels: labels(name) },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels(name) } },
});

/** Returns all manifests of a process. */
export const processManifests = (process: Process, images: Images) => [
  settingsConfigMap(process),
  ...sharedFilesClaim(process),
  deployment(process, images),
  ...networkServices(process),
  autoscaler(process),
  disruptionBudget(process.name),
];
