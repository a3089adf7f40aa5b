/** Start page: service status and links; with a demo, also its logins and live events; in development, also the stored e-mails. */
import { events } from "@freehold/contract/events";
import express, { type Router } from "express";
import { demoLogins, demoPassword } from "./demo-logins.ts";
import { assetRoutes, settingsElement, signInElement, type PageFeatures } from "./page-assets.ts";
import { staticDocument } from "./static-document.ts";

/** The mails in the outbox have inline styles, and inherit this policy in their frame. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const demoSection = (features: PageFeatures): string => `<section class="card">
<h2>Demo</h2>
<p>A property manager with one building, and a user of each role. The password of each is <code>${demoPassword}</code>.</p>
<ul class="logins">${demoLogins.map(({ role, email }) => `<li><b>${role}</b> <code>${email}</code></li>`).join("")}</ul>
${signInElement(features)}
</section>
<section class="card">
<h2>Live events</h2>
<p id="events-hint">Sign in to see what happens in the organization, at the moment it happens.</p>
<p><button type="button" id="record-payment" hidden>Record a payment</button> <span id="payment" role="status"></span></p>
<ol id="events" class="events"></ol>
</section>`;

const OUTBOX_SECTION = `<section class="card wide">
<h2>E-mails and text messages</h2>
<p id="mails-hint">E-mails and text messages are stored here instead of sent.</p>
<div class="outbox">
<ol id="mails" class="mails"></ol>
<article id="mail" hidden><h3 id="mail-subject"></h3><p id="mail-people"></p><iframe id="mail-body" title="Message" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></article>
</div>
</section>`;

const startPage = (publicUrl: string, features: PageFeatures): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Freehold</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="pages/start.css">
</head>
<body>
<header>
<div><h1>Freehold</h1><p>Property management as an API.</p></div>
<p id="status" class="status" role="status">Checking …</p>
</header>
<nav>
<a href="api/docs"><b>API reference</b><span>Read and try every operation</span></a>
<a href="api/openapi.json"><b>OpenAPI document</b><span>Generate a client from it</span></a>
<a href="llms.txt"><b>llms.txt</b><span>The API for language models</span></a>
</nav>
<main>
<section class="card wide"><h2>Services</h2><ul id="services" class="services"></ul></section>
${features.hasDemo ? demoSection(features) : ""}
${features.hasOutbox ? OUTBOX_SECTION : ""}
</main>
${settingsElement(features, { publicUrl, eventTypes: features.hasDemo ? Object.keys(events) : [], hasOutbox: features.hasOutbox })}
<script type="module" src="pages/start.js"></script>
</body>
</html>`;

/** Creates the routes of the start page and of its assets. */
export function startPageRoutes(publicUrl: string, features: PageFeatures): Router {
  const router = express.Router();
  const sendPage = staticDocument("text/html; charset=utf-8", startPage(publicUrl, features));
  router.get("/", (req, res, next) => {
    res.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    return sendPage(req, res, next);
  });
  router.use("/pages", assetRoutes("start.js", "start.css", "demo.js", "events.js", "outbox.js"));
  return router;
}
