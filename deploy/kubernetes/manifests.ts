/**
 * `npm run manifests [-- <registry> <version>]`: writes `freehold.yaml` and `installation.example.yaml`; with a registry and a
 * version, prints the former for these images instead. A test compares the committed files with this output.
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

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const { version } = JSON.parse(readFileSync(here("../../package.json"), "utf8")) as { version: string };

const own: INamespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
};

const manifests = (images: Images) => [
  own,
  ...networkPolicies(),
  ...natsManifests(),
  ...services.map((name) => migrationJob(name, images)),
  ...processes.flatMap((process) => processManifests(process, images)),
];

const documents = (head: string, all: readonly object[]): string =>
  `${head}${all.map((each) => `---\n${stringify(each, { lineWidth: 0, aliasDuplicateObjects: false })}`).join("")}`;

/** Printers of the committed files, by name. */
export const printed: Record<string, (images?: Images) => string> = {
  "freehold.yaml": (images = { registry: "freehold", version }) =>
    documents("# Printed by `npm run manifests`; change deploy/kubernetes/*.ts instead.\n", manifests(images)),
  "installation.example.yaml": () =>
    documents("# Copy this out of the repository, fill it in, and apply it before freehold.yaml.\n# Printed by `npm run manifests`.\n", [
      own,
      ...installationManifests(),
    ]),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [registry, imageVersion] = process.argv.slice(2);
  if (registry) process.stdout.write(printed["freehold.yaml"]!({ registry, version: imageVersion ?? version }));
  else for (const [name, print] of Object.entries(printed)) writeFileSync(here(name), print());
}
