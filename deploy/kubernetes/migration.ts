/**
 * Migration job of each service. A job instead of an init container runs once per version, however many replicas there are,
 * and keeps the owner's password away from the processes that serve requests.
 */
import type { IJob } from "kubernetes-models/batch/v1/Job";
import type { ServiceName } from "../system/secrets.ts";
import { containerSecurity, imageOf, podSecurity, type Images } from "./process.ts";
import { labels, namespace } from "./processes.ts";

export const migrationLabels = (name: string) => ({ ...labels(`${name}-migration`), "app.kubernetes.io/component": "migration" });

/** Creates the job of a service. The name contains the version, since a job is immutable. */
export const migrationJob = (name: ServiceName, images: Images): IJob => ({
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
            envFrom: [{ secretRef: { name: `${name}-owner` } }],
            env: [
              {
                name: `${name.toUpperCase()}_DATABASE_URL`,
                valueFrom: { secretKeyRef: { name, key: `${name.toUpperCase()}_DATABASE_URL` } },
              },
            ],
            resources: { requests: { cpu: "100m", memory: "192Mi" }, limits: { memory: "512Mi" } },
            ...containerSecurity,
          },
        ],
      },
    },
  },
});
