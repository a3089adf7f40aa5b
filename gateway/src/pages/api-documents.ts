/** Routes of the API's documentation: the OpenAPI document, its reference page, the guides, and llms.txt. */
import { operations } from "@freehold/contract";
import { openApiDocument } from "@freehold/contract/openapi";
import express, { type Router } from "express";
import { readFileSync } from "node:fs";
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

const guides = {
  "import-your-portfolio": "from spreadsheets to posted rent: sign-up, import, rent, a payment, and who owes what",
  authentication: "sign-in of people, service keys of programs, refused requests",
  errors: "the error body, each error code, safe repetition of requests",
  events: "the event stream: connect, resume, deliver each event once",
  webhooks: "events of providers: setup, signatures, answers, replay, samples without a provider",
  "typed-clients": "a client generated from the OpenAPI document, and a program that takes a tenancy through a month",
};

/** Address of the system in the guides. */
const PRINTED_ADDRESS = "http://127.0.0.1:8080";

/** Reads a document from `docs`, three folders above this file's folder: of the repository, or of the image. */
const documentOf = (path: string, publicUrl: string): string =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), "utf8").replaceAll(PRINTED_ADDRESS, publicUrl);

const capitalize = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

const llmsTxt = (publicUrl: string) => `# Freehold

> Property management as an API. JSON over HTTP; money in integer cents; every caller acts inside one organization.

Sign in with POST ${publicUrl}/api/auth/login, then send \`Authorization: Bearer <accessToken>\`. Events arrive on GET ${publicUrl}/api/events/stream.

## Guides

${Object.entries(guides)
  .map(([name, contents]) => `- [${capitalize(name.replaceAll("-", " "))}](${publicUrl}/api/docs/guides/${name}.md): ${contents}`)
  .join("\n")}

## Reference

- [Event catalogue](${publicUrl}/api/docs/events.md): each event with its data
- [OpenAPI document](${publicUrl}/api/openapi.json): every operation with its parameters, bodies, responses, roles and examples
- [Reference page](${publicUrl}/api/docs): the same for people, with a form to try each operation

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
  for (const path of ["events.md", ...Object.keys(guides).map((name) => `guides/${name}.md`)])
    router.get(`/api/docs/${path}`, staticDocument("text/markdown; charset=utf-8", documentOf(path, publicUrl)));
  router.get("/llms.txt", staticDocument("text/plain; charset=utf-8", llmsTxt(publicUrl)));
  return router;
}
