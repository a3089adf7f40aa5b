/** Routes of the API's documentation: the OpenAPI document, its reference page, and llms.txt. */
import { operations } from "@freehold/contract";
import { openApiDocument } from "@freehold/contract/openapi";
import express, { type Router } from "express";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { assetRoutes, settingsElement, signInElement, type PageFeatures } from "./page-assets.ts";
import { staticDocument } from "./static-document.ts";

const swaggerDir = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const referencePage = (features: PageFeatures): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Freehold API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<header><a href="../">Freehold</a>${signInElement(features)}</header>
<div id="ui"></div>
${settingsElement(features)}
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script type="module" src="docs/reference.js"></script>
</body>
</html>`;

const CONTENT_SECURITY_POLICY =
  "default-src 'self'; object-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const llmsTxt = (publicUrl: string) => `# Freehold

> Property management as an API. JSON over HTTP; money in integer cents; every caller acts inside one organization.

- OpenAPI: ${publicUrl}/api/openapi.json
- Sign in: POST ${publicUrl}/api/auth/login, then send \`Authorization: Bearer <accessToken>\`
- Events: GET ${publicUrl}/api/events/stream?token=<accessToken>

## Operations

${operations.map(({ id, operation }) => `- \`${operation.method} ${operation.path}\` (${id}): ${operation.summary}`).join("\n")}
`;

export function apiDocumentRoutes(publicUrl: string, features: PageFeatures): Router {
  const router = express.Router({ strict: true });
  const sendReference = staticDocument("text/html; charset=utf-8", referencePage(features));
  router.get("/api/openapi.json", staticDocument("application/json; charset=utf-8", JSON.stringify(openApiDocument())));
  router.get("/api/docs", (req, res, next) => {
    res.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    return sendReference(req, res, next);
  });
  // The page's links are relative to an address without a slash at its end.
  router.get("/api/docs/", (_req, res) => res.redirect("../docs"));
  router.use("/api/docs", assetRoutes("reference.js", "reference.css", "examples.js", "demo.js"));
  router.use("/api/docs/assets", express.static(swaggerDir, { index: false, maxAge: "1h" }));
  router.get("/llms.txt", staticDocument("text/plain; charset=utf-8", llmsTxt(publicUrl)));
  return router;
}
