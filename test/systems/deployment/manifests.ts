/** Parsed manifests of deploy/kubernetes. */
import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
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
}
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } };

const read = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(new URL(`../../../deploy/kubernetes/${name}`, import.meta.url), "utf8")).map((document) => document.toJS() as Manifest);

export const manifests: Manifest[] = [...read("freehold.yaml"), ...read("installation.example.yaml")];
export const ofKind = <K extends keyof Kinds>(kind: K): (Kinds[K] & Manifest)[] => manifests.filter((each) => each.kind === kind) as (Kinds[K] & Manifest)[];
export const named = <K extends keyof Kinds>(kind: K, name: string): Kinds[K] & Manifest => {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} named ${name}.`);
  return found;
};

/** Returns the environment of a container from all sources. */
export function environmentOf({ envFrom = [], env = [] }: IContainer): Record<string, string> {
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? named("ConfigMap", configMapRef.name!).data! : named("Secret", secretRef!.name!).stringData!,
  );
  const single = env.map(({ name, value, valueFrom }) => {
    const key = valueFrom?.secretKeyRef;
    return [name, key ? named("Secret", key.name!).stringData![key.key]! : value!] as const;
  });
  return Object.assign({}, ...sources, Object.fromEntries(single)) as Record<string, string>;
}

/** Returns the container of a process and its probes. */
export function podOf(name: string): { container: IContainer; probes: { path: string; port: number }[] } {
  const container = named("Deployment", name).spec!.template.spec!.containers[0]!;
  const numberOf = (port: string | number) => (typeof port === "number" ? port : container.ports!.find((each) => each.name === port)!.containerPort);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => ({
    path: probe!.httpGet!.path!,
    port: numberOf(probe!.httpGet!.port),
  }));
  return { container, probes };
}
