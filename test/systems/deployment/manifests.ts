/** Parsed manifests of deploy/kubernetes. */
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseAllDocuments } from "yaml";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IStatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import type { IJob } from "kubernetes-models/batch/v1/Job";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { IContainer } from "kubernetes-models/v1/Container";
import type { IPodSpec } from "kubernetes-models/v1/PodSpec";
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

/**
 * Returns the settings of a pod's container: the variables of its config maps and secrets, overridden by its own, and the content of
 * mounted secrets instead of the variables that name their files.
 */
export function settingsOf({ containers, volumes = [] }: IPodSpec): Record<string, string> {
  const container = containers[0]!;
  const contentOf = (path: string): string | undefined => {
    const mount = container.volumeMounts!.find(({ mountPath }) => dirname(path) === mountPath);
    const { secret, projected } = volumes.find(({ name }) => name === mount?.name)!;
    const names = secret ? [secret.secretName!] : projected!.sources!.map((source) => source.secret!.name!);
    return names.map((name) => getManifest("Secret", name).stringData![basename(path)]).find((content) => content !== undefined);
  };
  const variables = Object.entries(environmentOf(container)).map(([name, value]) => {
    if (!name.endsWith("_FILE")) return [name, value];
    const content = contentOf(value);
    if (content === undefined) throw new Error(`${name} names ${value}, which no secret contains.`);
    return [name.replace(/_FILE$/, ""), content];
  });
  return Object.fromEntries(variables) as Record<string, string>;
}

/** Returns the environment of a container: the variables of its config maps and secrets, overridden by its own. */
export function environmentOf({ envFrom = [], env = [] }: IContainer): Record<string, string> {
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? getManifest("ConfigMap", configMapRef.name!).data! : getManifest("Secret", secretRef!.name!).stringData!,
  );
  return Object.assign({}, ...sources, Object.fromEntries(env.map(({ name, value }) => [name, value ?? ""]))) as Record<string, string>;
}

/** Returns the container of a process and its probes. */
export function podOf(name: string): { spec: IPodSpec; container: IContainer; probes: { path: string; port: number }[] } {
  const spec = getManifest("Deployment", name).spec!.template.spec!;
  const container = spec.containers[0]!;
  const portNumberOf = (port: string | number) => (typeof port === "number" ? port : container.ports!.find((each) => each.name === port)!.containerPort);
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => ({
    path: probe!.httpGet!.path!,
    port: portNumberOf(probe!.httpGet!.port),
  }));
  return { spec, container, probes };
}
