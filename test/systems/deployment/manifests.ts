/** Parsed manifests of deploy/kubernetes. */
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IStatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import type { IJob } from "kubernetes-models/batch/v1/Job";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { ISecret } from "kubernetes-models/v1/Secret";
import type { IService } from "kubernetes-models/v1/Service";

interface Kinds {
  Deployment: IDeployment;
  Job: IJob;
  NetworkPolicy: INetworkPolicy;
  ConfigMap: IConfigMap;
  Secret: ISecret;
  Service: IService;
  StatefulSet: IStatefulSet;
}
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } };

const readManifests = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(new URL(`../../../deploy/kubernetes/${name}`, import.meta.url), "utf8")).map((document) => document.toJS() as Manifest);

export const manifests: Manifest[] = [...readManifests("freehold.yaml"), ...readManifests("installation.example.yaml")];
export const manifestsOfKind = <K extends keyof Kinds>(kind: K): (Kinds[K] & Manifest)[] =>
  manifests.filter((each) => each.kind === kind) as (Kinds[K] & Manifest)[];
/** Returns the manifest with a name. Throws an error if there is none. */
export const getManifest = <K extends keyof Kinds>(kind: K, name: string): Kinds[K] & Manifest => {
  const manifest = manifestsOfKind(kind).find(({ metadata }) => metadata.name === name);
  if (!manifest) throw new Error(`No ${kind} is named ${name}.`);
  return manifest;
};

/** Returns the environment of a container: the variables of its config maps and secrets, overridden by its own. */
export function environmentOf({ envFrom = [], env = [] }: IContainer): Record<string, string> {
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? getManifest("ConfigMap", configMapRef.name!).data! : getManifest("Secret", secretRef!.name!).stringData!,
  );
  const variables = env.map(({ name, value, valueFrom }) => {
    const key = valueFrom?.secretKeyRef;
    return [name, key ? getManifest("Secret", key.name!).stringData![key.key]! : value!] as const;
  });
  return Object.assign({}, ...sources, Object.fromEntries(variables)) as Record<string, string>;
}

/** Returns the container of a process and its probes. */
export function podOf(name: string): { container: IContainer; probes: { path: string; port: number }[] } {
  const container = getManifest("Deployment", name).spec!.template.spec!.containers[0]!;
  const portNumberOf = (port: string | number) => (typeof port === "number" ? port : container.ports!.find((each) => each.name === port)!.containerPort);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => ({
    path: probe!.httpGet!.path!,
    port: portNumberOf(probe!.httpGet!.port),
  }));
  return { container, probes };
}
