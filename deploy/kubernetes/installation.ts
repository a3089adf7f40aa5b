/** Example of the settings that differ between installations: public URL, databases, keys and certificates. */
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { ISecret } from "kubernetes-models/v1/Secret";
import { PASSWORD_FILE, passwordLines } from "../nats/configuration.ts";
import { services } from "../system/secrets.ts";
import { deploymentDatabaseUrl } from "../postgres/url.ts";
import { CERTIFICATE_SECRET, POSTGRES_CA_CONFIG_MAP } from "./process.ts";
import { PASSWORD_SECRET } from "./nats.ts";
import { isService, labels, namespace, processes } from "./processes.ts";

const secret = (name: string, stringData: Record<string, string>): ISecret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "freehold" } },
  type: "Opaque",
  stringData,
});

const exampleUrl = (role: string, database: string) => deploymentDatabaseUrl(role, "<password>", "<host>", database);

const installation: IConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "installation", namespace, labels: labels("installation") },
  data: { PUBLIC_URL: "https://<host>", ASSERTION_PUBLIC_KEYS: "<ASSERTION_PUBLIC_KEYS of npm run keys>", OTEL_EXPORTER_OTLP_ENDPOINT: "" },
};

const postgresCa: IConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: POSTGRES_CA_CONFIG_MAP, namespace, labels: labels("installation") },
  data: { "ca.crt": "<certificate of the authority of PostgreSQL>" },
};

/** ConfigMap and Secrets with placeholders that an installation must fill in. */
export const installationManifests = () => [
  installation,
  postgresCa,
  ...processes.map(({ name, optionalSecrets }) =>
    secret(name, {
      NATS_PASSWORD: `<${name}/NATS_PASSWORD of npm run keys>`,
      ASSERTION_KEY: `<${name}/ASSERTION_KEY of npm run keys>`,
      ...(isService(name) && { [`${name.toUpperCase()}_DATABASE_URL`]: exampleUrl(`${name}_service`, name) }),
      ...(name === "portfolio" && { PORTFOLIO_ENCRYPTION_KEY: "<portfolio/PORTFOLIO_ENCRYPTION_KEY of npm run keys>" }),
      ...(name === "communications" && { COMMUNICATIONS_ENCRYPTION_KEY: "<communications/COMMUNICATIONS_ENCRYPTION_KEY of npm run keys>" }),
      ...Object.fromEntries(optionalSecrets.map((each) => [each, ""])),
    }),
  ),
  ...services.map((name) => secret(`${name}-owner`, { [`${name.toUpperCase()}_OWNER_DATABASE_URL`]: exampleUrl(`${name}_owner`, name) })),
  secret(PASSWORD_SECRET, { [PASSWORD_FILE]: passwordLines((name) => `<${name}/NATS_PASSWORD of npm run keys>`) }),
  secret(CERTIFICATE_SECRET, {
    "ca.crt": "<certificate of the authority>",
    "tls.crt": "<certificate of the NATS servers>",
    "tls.key": "<private key of the NATS servers>",
  }),
];
