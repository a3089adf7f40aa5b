import { z } from "zod";
import { area } from "./operation.ts";
import { managers } from "./roles.ts";

export const importBundles = area("Import bundles", "imports", {
  getImportTemplate: {
    method: "GET",
    path: "/api/import-bundles/templates/{provider}",
    summary: "download import templates",
    access: managers,
    description: "A ZIP of CSV templates with a README.txt that explains each column.",
    params: z.object({ provider: z.enum(["generic"]) }),
    returns: {},
    answers: "application/zip",
    streams: true,
  },
});
