/** Secrets in the deployments: each is in a file that only the containers that need it mount, and in no environment. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createSecrets } from "../../../deploy/keys.ts";
import { processes, services } from "../../../deploy/system/secrets.ts";
import { exampleEnvironment, mountsOf, readCompose, type Compose } from "./compose.ts";
import { environmentOf, manifestsOfKind } from "./manifests.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-secrets-"));
afterAll(() => rmSync(dir, { recursive: true }));
const created = createSecrets(join(dir, "secrets")).map((path) => `secrets/${path}`);
const environment = { ...exampleEnvironment(), S3_ENDPOINT: "https://s3.example", S3_BUCKET: "files" };
const composeFiles = ["docker-compose.yaml", "docker-compose.s3.yaml"].map((name) => readCompose(environment, name));
const [compose, bucketCompose] = composeFiles as [Compose, Compose];

/** Returns the variables of an environment that contain a secret, by their name or by the password in their URL. */
const secretVariables = (variables: Record<string, string>): string[] =>
  Object.entries(variables).flatMap(([name, value]) =>
    /(PASSWORD|SECRET|TOKEN|KEY|KEY_ID|SMTP_URL)$/.test(name) || (URL.parse(value)?.password ?? "") !== "" ? [name] : [],
  );

/** Returns the folders of secrets from which a container mounts files. */
const secretFolders = (file: Compose, name: string): string[] => [
  ...new Set(mountsOf(file, file.services[name]!).flatMap((mount) => (dirname(mount.file).startsWith("secrets/") ? [dirname(mount.file).slice(8)] : []))),
];

describe("in compose, a secret", () => {
  test("is in the environment of no container", () => {
    expect(secretVariables({ NATS_PASSWORD: "a", LEDGER_DATABASE_URL: "postgres://a:b@c/d", SMTP_URL: "", NATS_PASSWORD_FILE: "a" })).toHaveLength(3);
    const violations = composeFiles.flatMap((file) =>
      Object.entries(file.services).flatMap(([name, container]) => secretVariables(container.environment ?? {}).map((variable) => `${name}.${variable}`)),
    );
    expect(violations).toEqual([]);
  });

  test("is in a file that npm run keys creates, and each of these is mounted", () => {
    const mounted = composeFiles.flatMap((file) =>
      Object.values(file.services).flatMap((container) =>
        mountsOf(file, container).flatMap((mount) => (mount.file.startsWith("secrets/") ? [mount.file] : [])),
      ),
    );
    expect([...new Set(mounted)].toSorted()).toEqual(created.toSorted());
  });

  test("is mounted only into the process that it belongs to, its migration or its server", () => {
    for (const name of processes) expect([name, secretFolders(compose, name)]).toEqual([name, [name]]);
    for (const name of services) expect(secretFolders(compose, `${name}-migration`)).toEqual([`${name}-owner`]);
    expect(secretFolders(compose, "nats")).toEqual(["nats"]);
    for (const name of ["portfolio", "imports"]) expect(secretFolders(bucketCompose, name)).toEqual(["bucket"]);
    const ownFiles = mountsOf(compose, compose.services["postgres"]!).map(({ file }) => file);
    expect(ownFiles.filter((file) => file.startsWith("secrets/") && !/\/(POSTGRES_PASSWORD|\w+_DATABASE_URL)$/.test(file))).toEqual([]);
  });
});

test("in the manifests, a secret is in the environment of no container, and its file is readable by its group only", () => {
  const pods = [...manifestsOfKind("Deployment"), ...manifestsOfKind("StatefulSet"), ...manifestsOfKind("Job")].map(({ metadata, spec }) => ({
    name: metadata.name,
    spec: spec!.template.spec!,
  }));
  expect(pods).toHaveLength(processes.length + 1 + services.length);
  const violations = pods.flatMap(({ name, spec: { containers, initContainers = [] } }) =>
    [...initContainers, ...containers].flatMap((container) => [
      ...(container.envFrom ?? []).flatMap(({ secretRef }) => (secretRef ? [`${name}: ${secretRef.name}`] : [])),
      ...(container.env ?? []).flatMap(({ name: variable, valueFrom }) => (valueFrom?.secretKeyRef ? [`${name}.${variable}`] : [])),
      ...secretVariables(environmentOf(container)).map((variable) => `${name}.${variable}`),
    ]),
  );
  expect(violations).toEqual([]);
  const readable = pods.flatMap(({ name, spec }) =>
    spec.volumes!.flatMap(({ name: volume, secret, projected }) => {
      const isPublic = secret?.items?.every(({ path }) => path === "ca.crt");
      const mode = (secret ?? projected)?.defaultMode;
      return (secret || projected) && !isPublic && (mode !== 0o440 || spec.securityContext!.fsGroup === undefined) ? [`${name}: ${volume}`] : [];
    }),
  );
  expect(readable).toEqual([]);
});

describe("databases.sh", () => {
  const script = fileURLToPath(new URL("../../../deploy/postgres/databases.sh", import.meta.url));

  test.each(["postgres://identity_owner@postgres:5432/identity", "postgres://identity_owner:p%40ss'@postgres:5432/identity", ""])(
    "refuses a database URL without a password of plain characters, names its variable and file, and does not repeat it: %j",
    (url) => {
      const file = join(dir, "url");
      writeFileSync(file, url);
      const { status, stdout, stderr } = spawnSync("sh", [script], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], IDENTITY_OWNER_DATABASE_URL_FILE: file },
      });
      const message = `IDENTITY_OWNER_DATABASE_URL_FILE is wrong: the URL in ${file} needs a password of letters, digits, and the characters . _ ~ -\n`;
      expect([status, stdout, stderr]).toEqual([1, "", message]);
    },
  );
});

test.each([".gitignore", ".dockerignore"])("%s excludes the secrets of deploy", (name) => {
  const lines = readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8").split("\n");
  expect(lines).toEqual(expect.arrayContaining(["deploy/secrets", "deploy/certificates"]));
});
