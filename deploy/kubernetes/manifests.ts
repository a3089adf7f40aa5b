/**
 * `npm run manifests [-- <registry> <version>]`: writes `freehold.yaml` and `installation.example.yaml`; with a registry and
 * an optional version, prints `freehold.yaml` for these images instead. A test compares the committed files with this output.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import type { INamespace } from "kubernetes-models/v1/Namespace";
import { services } from "../system/secrets.ts";
import { installationManifests } from "./installation.ts";
import { migrationJob } from "./migration.ts";
import { natsManifests } from "./nats.ts";
import { networkPolicies } from "./network.ts";
import { processManifests, type Images } from "./process.ts";
import { namespace, processes } from "./processes.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const { version } = JSON.parse(readFileSync(pathOf("../../package.json"), "utf8")) as { version: string };

const namespaceManifest: INamespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
};

const manifests = (images: Images) => [
  namespaceManifest,
  ...networkPolicies(),
  ...natsManifests(),
  ...services.map((name) => migrationJob(name, images)),
  ...processes.flatMap((process) => processManifests(process, images)),
];

const yamlDocuments = (header: string, manifestList: readonly object[]): string =>
  `${header}${manifestList.map((manifest) => `---\n${stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })}`).join("")}`;

/** Functions that print the committed files, by file name. */
export const printers: Record<string, (images?: Images) => string> = {
  "freehold.yaml": (images = { registry: "freehold", version }) =>
    yamlDocuments("# Printed by `npm run manifests`; change deploy/kubernetes/*.ts instead.\n", manifests(images)),
  "installation.example.yaml": () =>
    yamlDocuments("# Copy this out of the repository, fill it in, and apply it before freehold.yaml.\n# Printed by `npm run manifests`.\n", [
      namespaceManifest,
      ...installationManifests(),
    ]),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [registry, imageVersion] = process.argv.slice(2);
  if (registry) process.stdout.write(printers["freehold.yaml"]!({ registry, version: imageVersion ?? version }));
  else for (const [name, print] of Object.entries(printers)) writeFileSync(pathOf(name), print());
}
