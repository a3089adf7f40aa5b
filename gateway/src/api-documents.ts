/** Routes of the API's documentation: the OpenAPI document, its reference page, and llms.txt. */
import { operations } from "@freehold/contract";
import { openApiDocument } from "@freehold/contract/openapi";
import express, { type Router } from "express";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { staticDocument } from "./static-document.ts";

const swaggerDir = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Freehold API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<style>body { margin: 0 } .topbar { display: none }</style>
</head>
<body>
<div id="ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>`;

const SWAGGER_UI_SCRIPT = `window.ui = SwaggerUIBundle({ url: "openapi.json", dom_id: "#ui", deepLinking: true, persistAuthorization: true, tryItOutEnabled: true, displayRequestDuration: true, docExpansion: "none", filter: true });`;

const CONTENT_SECURITY_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const llmsTxt = (publicUrl: string) => `# Freehold

> Property management as an API. JSON over HTTP; money in integer cents; every caller acts inside one organization.

- OpenAPI: ${publicUrl}/api/openapi.json
- Sign in: POST ${publicUrl}/api/auth/login, then send \`Authorization: Bearer <accessToken>\`
- Events: GET ${publicUrl}/api/events/stream?token=<accessToken>

## Operations

${operations.map(({ id, operation }) => `- \`${operation.method} ${operation.path}\` (${id}): ${operation.summary}`).join("\n")}
`;

export function apiDocumentRoutes(publicUrl: string): Router {
  const router = express.Router();
  const referencePage = staticDocument("text/html; charset=utf-8", REFERENCE_PAGE);
  router.get("/api/openapi.json", staticDocument("application/json; charset=utf-8", JSON.stringify(openApiDocument())));
  router.get("/api/docs", (req, res, next) => {
    res.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    return referencePage(req, res, next);
  });
  router.get("/api/docs/start.js", staticDocument("text/javascript; charset=utf-8", SWAGGER_UI_SCRIPT));
  router.use("/api/docs/assets", express.static(swaggerDir, { index: false, maxAge: "1h" }));
  router.get("/llms.txt", staticDocument("text/plain; charset=utf-8", llmsTxt(publicUrl)));
  return router;
}
