/**
 * Migration job of each service. A job instead of an init container runs once per version, however many replicas there are,
 * and keeps the owner's password away from the processes that serve requests.
 */
import type { IJob } from "kubernetes-models/batch/v1/Job";
import type { ServiceName } from "../system/secrets.ts";
import { containerSecurity, imageOf, podSecurity, postgresCa, SECRET_FILE_MODE, type Images } from "./process.ts";
import { databaseUrlSetting, heapOption, labels, namespace, secretFiles, SECRETS_DIR } from "./processes.ts";

const MEMORY_MIB = 512;

export const migrationLabels = (name: string) => ({ ...labels(`${name}-migration`), "app.kubernetes.io/component": "migration" });

/** Creates the job of a service. The name contains the version, since a job is immutable. */
export function migrationJob(name: ServiceName, images: Images): IJob {
  const [ownerUrl, serviceUrl] = [`${name.toUpperCase()}_OWNER_DATABASE_URL`, databaseUrlSetting(name)];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `${name}-migration-${images.version.replaceAll(/[^a-z0-9-]/g, "-")}`, namespace, labels: migrationLabels(name) },
    spec: {
      backoffLimit: 10,
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels: migrationLabels(name) },
        spec: {
          ...podSecurity,
          restartPolicy: "OnFailure",
          containers: [
            {
              name: "migration",
              image: imageOf(name, images),
              command: ["node", "dist/src/migrate.js"],
              env: Object.entries({ ...secretFiles([ownerUrl, serviceUrl]), NODE_OPTIONS: heapOption(MEMORY_MIB) }).map(([variable, value]) => ({
                name: variable,
                value,
              })),
              resources: { requests: { cpu: "100m", memory: "192Mi" }, limits: { memory: `${MEMORY_MIB}Mi` } },
              volumeMounts: [{ name: "secrets", mountPath: SECRETS_DIR, readOnly: true }, postgresCa.mount],
              ...containerSecurity,
            },
          ],
          volumes: [
            {
              name: "secrets",
              projected: {
                defaultMode: SECRET_FILE_MODE,
                // Of the service's secret, the job reads only the name of the role from the URL.
                sources: [{ secret: { name: `${name}-owner` } }, { secret: { name, items: [{ key: serviceUrl, path: serviceUrl }] } }],
              },
            },
            postgresCa.volume,
          ],
        },
      },
    },
  };
}
