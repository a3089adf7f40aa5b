import { importBundles } from "@freehold/contract/import-bundles";
import { handlers } from "@freehold/kit/serve";
import { getImportTemplate } from "./import-templates.ts";

export const importBundlesHttp = handlers(importBundles, {
  getImportTemplate: async ({ req, res }) => {
    const { zip, etag } = await getImportTemplate();
    res.setHeader("ETag", etag);
    res.setHeader("Content-Disposition", `attachment; filename="generic-import-template.zip"`);
    if (req.headers["if-none-match"] === etag) {
      res.status(304).end();
      return;
    }
    res.setHeader("Content-Type", "application/zip");
    res.setHeader("Content-Length", zip.length);
    res.end(zip);
  },
});
