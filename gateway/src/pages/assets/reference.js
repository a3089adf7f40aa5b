/** API reference page (Swagger UI). After a sign-in, with the form or with an operation, requests carry the access token. */
import { readDemo, useDemo } from "./examples.js";
import { call, connectSignIn, settings } from "./demo.js";

const documentUrl = new URL("openapi.json", location.href);
const apiUrl = new URL("./", documentUrl);
const SIGN_IN = /\/api\/auth\/(login|signup|token|invites\/[^/]+\/accept)$/;

let ui;
/** True after a sign-in by an operation. Its token is then kept when the demo user's token is renewed. */
let isSignedInByOperation = false;

/** Sends the access token with all operations. */
function authorize(token) {
  ui.preauthorizeApiKey("bearer", token);
  ui.preauthorizeApiKey("streamToken", token);
}

function authorizeAfterSignIn(response) {
  if (response.ok && SIGN_IN.test(response.url) && response.body?.accessToken) {
    isSignedInByOperation = true;
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
const reading = call(documentUrl);

// Connected at once: a sign-in while the document is still being read waits for it.
connectSignIn(apiUrl, async ({ accessToken, user }, isRenewal) => {
  if (isRenewal && isSignedInByOperation) return;
  const openApi = await reading;
  if (!isRenewal) {
    isSignedInByOperation = false;
    const read = (path) => call(new URL(`..${path}`, apiUrl), { token: accessToken }).catch(() => undefined);
    const login = { email: user.email, password: settings.demo.password };
    show(useDemo(structuredClone(openApi), await readDemo(openApi, user.role, read), login));
  }
  authorize(accessToken);
});

show(structuredClone(await reading));
