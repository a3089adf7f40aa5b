/** Reference of the API, in which every operation can be tried. A sign-in in it, of a demo user or of anybody, authorizes the operations after it. */
import { readDemo, useDemo } from "./examples.js";
import { call, connectSignIn, settings } from "./demo.js";

const documentUrl = new URL("openapi.json", location.href);
const apiUrl = new URL("./", documentUrl);
const SIGN_IN = /\/api\/auth\/(login|signup|token|invites\/[^/]+\/accept)$/;

let ui;
/** Set once somebody has signed in by an operation, whose token the renewal of the demo user's does not replace. */
let hasTriedSignIn = false;

/** Sends the access token with all operations. */
function authorize(token) {
  ui.preauthorizeApiKey("bearer", token);
  ui.preauthorizeApiKey("streamToken", token);
}

function authorizeAfterSignIn(response) {
  if (response.ok && SIGN_IN.test(response.url) && response.body?.accessToken) {
    hasTriedSignIn = true;
    authorize(response.body.accessToken);
  }
  return response;
}

/** Shows a document, whose server is made absolute, since a document that is passed as an object has no address. */
function show(spec) {
  spec.servers = [{ ...spec.servers[0], url: new URL(spec.servers[0].url, documentUrl).href.replace(/\/$/, "") }];
  ui = window.SwaggerUIBundle({
    spec,
    dom_id: "#ui",
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    docExpansion: "none",
    filter: true,
    responseInterceptor: authorizeAfterSignIn,
  });
}

document.documentElement.classList.toggle("dark-mode", matchMedia("(prefers-color-scheme: dark)").matches);
const openApi = await call(documentUrl);
show(structuredClone(openApi));

connectSignIn(apiUrl, async ({ accessToken, user }, isRenewal) => {
  if (isRenewal && hasTriedSignIn) return;
  if (!isRenewal) {
    hasTriedSignIn = false;
    const read = (path) => call(new URL(`..${path}`, apiUrl), { token: accessToken }).catch(() => undefined);
    const login = { email: user.email, password: settings.demo.password };
    show(useDemo(structuredClone(openApi), await readDemo(openApi, user.role, read), login));
  }
  authorize(accessToken);
});
