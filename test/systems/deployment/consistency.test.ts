/** Consistency of the Dockerfile, compose files and manifests with the code: variables, ports, paths and programs. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { migrationSettings } from "@freehold/kit/runtime/migrate";
import * as apps from "kubernetes-models/apps/v1";
import * as autoscaling from "kubernetes-models/autoscaling/v2";
import * as batch from "kubernetes-models/batch/v1";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
import { postgresHosts } from "../../../deploy/certificates.ts";
import { createSecrets } from "../../../deploy/keys.ts";
import { printers } from "../../../deploy/kubernetes/manifests.ts";
import { certificateFiles } from "../../../deploy/nats/certificates.ts";
import { PASSWORD_FILE, passwordLines } from "../../../deploy/nats/configuration.ts";
import { processes, services } from "../../../deploy/system/secrets.ts";
import { composeVariables, containerSettings, exampleEnvironment, mountsOf, readCompose } from "./compose.ts";
import { dockerfile, imageCommand, finalStage } from "./dockerfile.ts";
import { environmentOf, manifests, getManifest, manifestsOfKind, podOf, settingsOf } from "./manifests.ts";
import { schemas } from "../../../deploy/system/schemas.ts";
import { calledServices, settingErrors } from "./schemas.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const environment = exampleEnvironment();
const compose = readCompose(environment);
const dir = mkdtempSync(join(tmpdir(), "freehold-secrets-"));
createSecrets(join(dir, "secrets"));
afterAll(() => rmSync(dir, { recursive: true }));
const composeSettingsOf = (name: string) => containerSettings(compose, compose.services[name]!, dir);
const argumentsOf = (name: string): string[] => dockerfile.flatMap((each) => (each.name === name ? [each.arguments] : []));

describe("the Dockerfile", () => {
  test("uses the Node version of package.json and one version of pnpm", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: { node: string } };
    expect(argumentsOf("FROM")).toEqual([`node:${dependencies.node}-slim AS build`, `node:${dependencies.node}-slim`]);
    const pnpmVersions = ["deploy/Dockerfile", "deploy/build.ts", "deploy/bootstrap.mjs"].flatMap((path) =>
      [...read(path).matchAll(/pnpm@([\d.]+)/g)].map((match) => match[1]),
    );
    expect(pnpmVersions.length).toBeGreaterThan(3);
    expect(new Set(pnpmVersions).size).toBe(1);
  });

  test("copies only existing files that are not ignored, among them every folder that is compiled", () => {
    const copied = argumentsOf("COPY").flatMap((line) => (line.startsWith("--from") ? [] : line.split(" ").slice(0, -1)));
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const ignored = read(".dockerignore").trim().split("\n");
    expect(copied.filter((path) => ignored.includes(path))).toEqual([]);
    const { include } = JSON.parse(read("tsconfig.build.json")) as { include: string[] };
    expect([...new Set(include.map((path) => path.split("/")[0]!))].filter((folder) => !copied.includes(folder))).toEqual([]);
  });

  test("builds an image that runs one program without root, with a health check", () => {
    const lines = finalStage.map(({ name, arguments: rest }) => `${name} ${rest}`);
    expect(imageCommand()).toEqual(["node", "dist/src/main.js"]);
    expect(lines).toEqual(expect.arrayContaining(["USER 1000:1000", "STOPSIGNAL SIGTERM", "ENV NODE_ENV=production HOST=0.0.0.0"]));
    expect(lines.findIndex((line) => line.startsWith("USER"))).toBeGreaterThan(lines.findLastIndex((line) => /^(COPY|RUN)/.test(line)));
    expect(lines.filter((line) => line.startsWith("HEALTHCHECK"))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("COPY"))).toEqual(["COPY --from=build /freehold/build/${SERVICE} ./"]);
  });
});

describe("docker-compose.yaml", () => {
  test("uses exactly the variables of the example", () => {
    expect([...composeVariables()].toSorted()).toEqual(Object.keys(exampleEnvironment()).toSorted());
    expect(() => readCompose({})).toThrow("PUBLIC_URL is not set; see deploy/.env.example");
  });

  test.each(processes)("sets all required and no unknown variables of %s", (name) => {
    expect(settingErrors(name, schemas[name], composeSettingsOf(name))).toEqual([]);
  });

  test.each(services)("sets the variables of the migration of %s, and waits for it", (name) => {
    const migration = compose.services[`${name}-migration`]!;
    expect(settingErrors(`${name}-migration`, migrationSettings(name), composeSettingsOf(`${name}-migration`))).toEqual([]);
    expect(existsSync(join(root, `services/${name}/src/${migration.command![1]!.replace("dist/src/", "").replace(".js", ".ts")}`))).toBe(true);
    expect([migration.image, migration.build]).toEqual([compose.services[name]!.image, compose.services[name]!.build]);
    expect(compose.services[name]!.depends_on![`${name}-migration`]).toEqual({ condition: "service_completed_successfully" });
  });

  test("builds six images with the Dockerfile, and pins two others", () => {
    const built = processes.map((name) => compose.services[name]!.build!);
    expect(built.map(({ args }) => args["SERVICE"])).toEqual([...processes]);
    expect(new Set(built.map(({ context, dockerfile: path }) => join("deploy", context, path)))).toEqual(new Set(["deploy/Dockerfile"]));
    const buildArguments = argumentsOf("ARG").map((line) => line.split("=")[0]);
    expect(built.flatMap(({ args }) => Object.keys(args)).filter((name) => !buildArguments.includes(name))).toEqual([]);
    const pinnedImages = Object.values(compose.services).flatMap(({ build, image }) => (build ? [] : [image]));
    expect(pinnedImages).toEqual([expect.stringMatching(/^postgres:\d+\.\d+$/), expect.stringMatching(/^nats:\d+\.\d+\.\d+-alpine$/)]);
  });

  test("publishes only the gateway, and only the gateway and communications have external access", () => {
    const containersWhere = (predicate: (name: string) => boolean) => Object.keys(compose.services).filter(predicate);
    expect(containersWhere((name) => compose.services[name]!.ports !== undefined)).toEqual(["gateway"]);
    expect(compose.services["gateway"]!.ports).toEqual([`${environment["GATEWAY_PORT"]}:${compose.services["gateway"]!.environment!["PORT"]}`]);
    expect(containersWhere((name) => compose.services[name]!.networks.includes("outside"))).toEqual(["gateway", "communications"]);
    expect(Object.entries(compose.networks).flatMap(([name, network]) => (network?.internal ? [] : [name]))).toEqual(["outside"]);
    expect(containersWhere((name) => compose.services[name]!.networks.includes("data")).includes("gateway")).toBe(false);
  });

  test("every address is a listening port of a container on a shared network", () => {
    const listeningPorts = (name: string) =>
      ["PORT", "HTTP_PORT", "GRPC_PORT"].map((setting) => compose.services[name]!.environment?.[setting]).concat({ postgres: "5432", nats: "4222" }[name]);
    // PostgreSQL itself reads the passwords of the URLs only.
    const addresses = [...processes, ...services.map((name) => `${name}-migration`)].flatMap((name) =>
      Object.values(composeSettingsOf(name)).flatMap((value) =>
        [...value.matchAll(/(?:@|\/)([a-z]+):(\d{4})\b/g)].map(([, host, port]) => ({ name, host: host!, port: port! })),
      ),
    );
    expect(addresses.length).toBeGreaterThan(15);
    const unreachable = addresses.filter(({ name, host, port }) => {
      const target = compose.services[host];
      return !target || !listeningPorts(host).includes(port) || !target.networks.some((each) => compose.services[name]!.networks.includes(each));
    });
    expect(unreachable).toEqual([]);
  });

  test("gives no container a writable root file system or new privileges, and limits the memory of each process, and its heap to less", () => {
    for (const [name, { read_only: isReadOnly, security_opt: security }] of Object.entries(compose.services))
      expect([name, isReadOnly, security]).toEqual([name, true, ["no-new-privileges:true"]]);
    for (const name of processes) {
      const { mem_limit: limit, environment: settings } = compose.services[name]!;
      const heapMib = Number(/--max-old-space-size=(\d+)/.exec(settings!["NODE_OPTIONS"]!)![1]);
      expect(heapMib).toBeLessThan(0.7 * Number(/^(\d+)m$/.exec(limit!)![1]));
    }
  });

  test("mounts only named volumes, and every awaited container has a health check", () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0]!));
    expect(mounted.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    const awaited = new Set(
      Object.values(compose.services).flatMap(({ depends_on: dependencies = {} }) =>
        Object.keys(dependencies).filter((name) => dependencies[name]!.condition === "service_healthy"),
      ),
    );
    expect([...awaited].filter((name) => !compose.services[name]!.healthcheck?.test && !compose.services[name]!.build)).toEqual([]);
  });

  test("encrypts every connection to PostgreSQL, and verifies its certificate and its name", () => {
    const urls = [...services, ...services.map((name) => `${name}-migration`)].flatMap((name) =>
      Object.entries(composeSettingsOf(name)).flatMap(([setting, value]) => (setting.endsWith("DATABASE_URL") ? [new URL(value)] : [])),
    );
    expect(urls).toHaveLength(3 * services.length);
    for (const { hostname, search } of urls)
      expect([postgresHosts.includes(hostname), search]).toEqual([true, "?sslmode=verify-full&sslrootcert=/etc/postgres-tls/ca.crt"]);
    expect(compose.services["postgres"]!.command).toEqual(expect.arrayContaining(["ssl=on"]));
  });

  test("mounts only files of the repository, certificates and secrets, and each private key only into its server", () => {
    const declared = Object.values({ ...compose.configs, ...compose.secrets }).map(({ file }) => file);
    const [nats, postgres] = [certificateFiles("certificates"), certificateFiles("certificates/postgres")];
    const certificates = [nats, postgres].flatMap((each) => Object.values(each));
    const missing = declared.filter(
      (file) => !certificates.includes(file) && !existsSync(join(file.startsWith("secrets/") ? dir : join(root, "deploy"), file)),
    );
    expect(missing).toEqual([]);
    const mounted = Object.entries(compose.services).flatMap(([name, each]) => mountsOf(compose, each).map((mount) => ({ name, ...mount })));
    expect(new Set(mounted.map(({ file }) => file))).toEqual(new Set(declared));
    expect(mounted.flatMap(({ name, file }) => (file === nats.key ? [name] : []))).toEqual(["nats"]);
    expect(mounted.flatMap(({ name, file }) => (file === postgres.key ? [name] : []))).toEqual(["postgres"]);
    const mountOfNats = { file: nats.ca, target: compose.services["gateway"]!.environment!["NATS_CA"] };
    const mountOfPostgres = { file: postgres.ca, target: "/etc/postgres-tls/ca.crt" };
    const certificatesOf = (name: string) => mountsOf(compose, compose.services[name]!).filter(({ file }) => certificates.includes(file));
    expect(certificatesOf("gateway")).toEqual([mountOfNats]);
    for (const name of services) {
      expect(certificatesOf(name)).toEqual([mountOfNats, mountOfPostgres]);
      expect(certificatesOf(`${name}-migration`)).toEqual([mountOfPostgres]);
    }
  });
});

describe("docker-compose.s3.yaml", () => {
  const override = readCompose({ ...environment, S3_ENDPOINT: "https://s3.example", S3_BUCKET: "files" }, "docker-compose.s3.yaml");

  test("gives the services that store files the bucket's settings and external access", () => {
    expect(Object.keys(override.services)).toEqual(["portfolio", "imports"]);
    for (const name of ["portfolio", "imports"] as const) {
      const { networks } = override.services[name]!;
      const addedSettings = containerSettings(override, override.services[name]!, dir);
      expect(settingErrors(name, schemas[name], { ...composeSettingsOf(name), ...addedSettings })).toEqual([]);
      expect(Object.keys(addedSettings).toSorted()).toEqual(
        Object.keys(schemas[name].shape)
          .filter((setting) => setting.startsWith("S3_"))
          .toSorted(),
      );
      expect(networks).toEqual(["outside", ...compose.services[name]!.networks]);
    }
    expect(() => readCompose(environment, "docker-compose.s3.yaml")).toThrow("S3_ENDPOINT is not set");
  });
});

describe("the manifests", () => {
  test.each(Object.keys(printers))("%s is what `npm run manifests` prints", (name) => {
    expect(read(`deploy/kubernetes/${name}`)).toBe(printers[name]!());
  });

  test("conform to the schemas of Kubernetes", () => {
    const models = { ...apps, ...autoscaling, ...batch, ...networking, ...policy, ...core } as unknown as Record<
      string,
      new (data: object) => { validate(): void }
    >;
    for (const each of manifests) expect(() => new models[each.kind]!(each).validate()).not.toThrow();
    expect(() => new models["Deployment"]!({ ...getManifest("Deployment", "ledger"), spec: { replicas: "two" } }).validate()).toThrow();
  });

  test.each(processes)("set all required and no unknown variables of %s", (name) => {
    expect(settingErrors(name, schemas[name], settingsOf(podOf(name).spec))).toEqual([]);
  });

  test.each(processes)("give %s its secrets in files only, which its group can read", (name) => {
    const { spec, container } = podOf(name);
    expect(container.envFrom!.filter(({ secretRef }) => secretRef)).toEqual([]);
    expect(container.env).toBeUndefined();
    const { stringData } = getManifest("Secret", name);
    const inFiles = Object.keys(environmentOf(container)).flatMap((setting) => (setting.endsWith("_FILE") ? [setting.replace(/_FILE$/, "")] : []));
    expect(inFiles.toSorted()).toEqual(Object.keys(stringData!).toSorted());
    expect(spec.volumes!.find((volume) => volume.secret?.secretName === name)!.secret!.defaultMode).toBe(0o440);
    expect(spec.securityContext!.fsGroup).toBe(spec.securityContext!.runAsGroup);
  });

  test("contain no secret or password, but placeholders", () => {
    const values = manifestsOfKind("Secret").flatMap(({ stringData }) => Object.values(stringData!));
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter((value) => value !== "" && !/<[^>]+>/.test(value))).toEqual([]);
    expect(values.filter((value) => value.startsWith("postgres://") && !value.includes(":<password>@"))).toEqual([]);
  });

  test.each(services)("connect %s and its migration to PostgreSQL with verify-full and a mounted authority", (name) => {
    const job = manifestsOfKind("Job").find(({ metadata }) => metadata.name.startsWith(`${name}-migration-`))!.spec!.template.spec!;
    for (const spec of [podOf(name).spec, job]) {
      const urls = Object.entries(settingsOf(spec)).flatMap(([setting, value]) =>
        setting.endsWith("DATABASE_URL") ? [new URL(value.replaceAll(/<(\w+)>/g, "$1"))] : [],
      );
      expect(urls.length).toBeGreaterThan(0);
      for (const { searchParams } of urls) {
        expect(searchParams.get("sslmode")).toBe("verify-full");
        const mount = spec.containers[0]!.volumeMounts!.find(({ mountPath }) => searchParams.get("sslrootcert") === `${mountPath}/ca.crt`)!;
        const { configMap } = spec.volumes!.find((volume) => volume.name === mount.name)!;
        expect(getManifest("ConfigMap", configMap!.name!).data).toHaveProperty(["ca.crt"]);
      }
    }
  });

  test("limit the memory of each process, and its heap to less", () => {
    const specs = [...processes.map((name) => podOf(name).spec), ...manifestsOfKind("Job").map(({ spec }) => spec!.template.spec!)];
    for (const spec of specs) {
      const heapMib = Number(/--max-old-space-size=(\d+)/.exec(environmentOf(spec.containers[0]!)["NODE_OPTIONS"]!)![1]);
      const limitMib = Number(/^(\d+)Mi$/.exec(spec.containers[0]!.resources!.limits!["memory"] as string)![1]);
      expect(heapMib).toBeGreaterThanOrEqual(256);
      expect(heapMib).toBeLessThan(0.7 * limitMib);
    }
  });

  test.each(services)("set the variables of the migration of %s; no process has the owner's password", (name) => {
    const job = manifestsOfKind("Job").find(({ metadata }) => metadata.name.startsWith(`${name}-migration-`))!;
    const container = job.spec!.template.spec!.containers[0]!;
    expect(settingErrors(`${name}-migration`, migrationSettings(name), settingsOf(job.spec!.template.spec!))).toEqual([]);
    expect(container.image).toBe(podOf(name).container.image);
    expect(container.command).toEqual(compose.services[`${name}-migration`]!.command);
    expect(processes.filter((each) => `${name.toUpperCase()}_OWNER_DATABASE_URL` in settingsOf(podOf(each).spec))).toEqual([]);
  });

  test.each(processes)("declare the ports of %s, which its Kubernetes Services target", (name) => {
    const { container, probes } = podOf(name);
    const settings = environmentOf(container);
    const configuredPorts = { http: settings["HTTP_PORT"] ?? settings["PORT"], grpc: settings["GRPC_PORT"], metrics: settings["METRICS_PORT"] } as Record<
      string,
      string | undefined
    >;
    const ports = Object.fromEntries(container.ports!.map((each) => [each.name!, String(each.containerPort)]));
    expect(ports).toEqual(Object.fromEntries(Object.entries(configuredPorts).filter(([, port]) => port !== undefined)));
    expect(probes.map(({ port }) => String(port))).toEqual(probes.map(() => ports["http"]));
    const kubernetesServices = manifestsOfKind("Service").filter(({ spec }) => spec!.selector!["app.kubernetes.io/name"] === name);
    const targets = kubernetesServices.flatMap(({ spec }) => spec!.ports!.map(({ port, targetPort }) => [String(targetPort), String(port)]));
    expect(targets).toEqual(Object.entries(ports).filter(([each]) => each !== "metrics"));
  });

  test("every address is a port of a service, and gRPC uses headless services", () => {
    const addresses = processes.flatMap((name) =>
      Object.entries(getManifest("ConfigMap", name).data!).flatMap(([setting, value]) =>
        [...value.matchAll(/\/([a-z-]+):(\d+)/g)].map(([, host, port]) => ({ setting, host: host!, port: port! })),
      ),
    );
    expect(addresses.length).toBeGreaterThan(15);
    for (const { setting, host, port } of addresses) {
      const { spec } = getManifest("Service", host);
      expect([setting, spec!.ports!.map((each) => String(each.port))]).toEqual([setting, expect.arrayContaining([port])]);
      if (setting.endsWith("_GRPC")) expect([setting, spec!.clusterIP]).toEqual([setting, "None"]);
    }
  });

  test("allow only the required traffic", () => {
    const peers = (name: string, direction: "ingress" | "egress", port: number) =>
      getManifest("NetworkPolicy", name).spec![direction]!.flatMap((rule) =>
        rule.ports!.some((each) => each.port === port)
          ? ((direction === "ingress" ? (rule as { from?: object[] }).from : (rule as { to?: object[] }).to) ?? [{}]).map(
              (peer) => (peer as { podSelector?: { matchLabels: Record<string, string> } }).podSelector?.matchLabels["app.kubernetes.io/name"] ?? "anyone",
            )
          : [],
      );
    for (const name of services) {
      const callers = processes.filter((each) => calledServices(schemas[each]).includes(name));
      expect([name, peers(name, "ingress", 9090).toSorted()]).toEqual([name, callers.toSorted()]);
      expect([name, peers(name, "egress", 9090).toSorted()]).toEqual([name, calledServices(schemas[name]).toSorted()]);
      expect([name, peers(name, "ingress", 8080)]).toEqual([name, ["gateway"]]);
    }
    // The ingress controller, by its namespace.
    expect(getManifest("NetworkPolicy", "gateway").spec!.ingress!.find(({ ports }) => ports!.some(({ port }) => port === 8080))!.from).toEqual([
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } },
    ]);
    expect(peers("gateway", "egress", 8080)).toEqual([...services]);
    expect(getManifest("NetworkPolicy", "default-deny-all").spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  });

  test.each(processes)("keep %s available during updates, with minimal privileges", (name) => {
    const { spec } = getManifest("Deployment", name).spec!.template;
    expect(getManifest("Deployment", name).spec!.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    const drainSeconds = Number(getManifest("ConfigMap", name).data!["DRAIN_MS"]) / 1000;
    expect(spec!.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(15 + drainSeconds);
    expect(manifests.flatMap(({ kind, metadata }) => (metadata.name === name ? [kind] : []))).toEqual(
      expect.arrayContaining(["Deployment", "Service", "ConfigMap", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy", "Secret"]),
    );
    expect(spec!.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(spec!.containers[0]!.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
  });

  test("give every NATS server the password of each process, and no process the key of the servers", () => {
    const { containers, volumes: serverVolumes } = getManifest("StatefulSet", "nats").spec!.template.spec!;
    const configurationFile = containers[0]!.command!.at(-1)!;
    const mount = containers[0]!.volumeMounts!.find(({ mountPath }) => mountPath === dirname(configurationFile))!;
    const { defaultMode, sources } = serverVolumes!.find(({ name }) => name === mount.name)!.projected!;
    expect([defaultMode, sources]).toEqual([0o440, [{ configMap: { name: "nats" } }, { secret: { name: "nats" } }]]);
    const passwords = passwordLines((name) => getManifest("Secret", name).stringData!["NATS_PASSWORD"]!);
    expect(getManifest("Secret", "nats").stringData).toEqual({ [PASSWORD_FILE]: passwords });
    for (const name of processes) {
      const { volumes } = getManifest("Deployment", name).spec!.template.spec!;
      const secrets = volumes!.flatMap(({ secret }) => (secret ? [secret.items] : []));
      expect(secrets).toEqual([[{ key: "ca.crt", path: "ca.crt" }], undefined]);
    }
  });
});
