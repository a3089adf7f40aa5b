/** Pages that the links of e-mails open. Each page completes one operation in the browser, at an address relative to its own. */
import express, { type Router } from "express";

const CONTENT_SECURITY_POLICY = "default-src 'self'; object-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

interface Page {
  title: string;
  /** HTML above the button, with the opening `<form id="form">`. The page closes the form after the button. */
  formHtml: string;
  button: string;
  /** Browser script, with `form`, the `token` of the link, `showStatus` and `send` in scope. */
  script: string;
  /** Describes the operation for clients that accept JSON. */
  operationFor: (token: string) => { message: string; operation: { id: string; method: "POST"; path: string; body: Record<string, string> } };
}

const renderPage = ({ title, formHtml, button }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1c2430 }
label { display: block; margin: 1rem 0 .25rem } input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
button { font: inherit; margin-top: 1.5rem; padding: .6rem 1.2rem; background: #1d5c3f; color: #fff; border: 0; border-radius: .25rem } [role=status] { margin-top: 1rem }
</style>
</head>
<body>
<h1>${title}</h1>
${formHtml}<button>${button}</button>
</form>
<p role="status" id="status"></p>
<script src="page.js"></script>
</body>
</html>`;

const sharedScript = `
const token = location.pathname.split("/").pop();
const showStatus = (text) => { document.getElementById("status").textContent = text };
const form = document.getElementById("form");
const request = async (path, options) => {
  try {
    const response = await fetch(path, options);
    return { status: response.status, ok: response.ok, result: await response.json() };
  } catch {
    return { status: 0, ok: false, result: { message: "The server cannot be reached. Check your connection and try again." } };
  }
};
const send = (path, body) => request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });`;

const PASSWORD_FIELD = `<label for="password">Choose a password, at least 8 characters</label><input id="password" name="password" type="password" minlength="8" maxlength="128" autocomplete="new-password" required>
`;

const pagesByName: Record<string, Page> = {
  invites: {
    title: "Accept your invite",
    formHtml: `<p id="invite">Loading …</p>
<form id="form" hidden>
<label for="fullName">Your name</label><input id="fullName" name="fullName" autocomplete="name">
${PASSWORD_FIELD}`,
    button: "Accept",
    script: `
const invitePath = "../api/auth/invites/" + encodeURIComponent(token);
request(invitePath).then(({ status, ok, result }) => {
  const inviteText = document.getElementById("invite");
  if (!ok) { inviteText.textContent = status === 404 ? "This invite has expired or was revoked. Ask for a new one." : result.message; return }
  inviteText.textContent = result.invite.organizationName + " invites " + result.invite.email + ".";
  form.fullName.value = result.invite.fullName ?? "";
  form.hidden = result.invite.status !== "pending";
  if (form.hidden) showStatus("This invite has already been accepted. You can sign in.");
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, result } = await send(invitePath + "/accept", { password: form.password.value, ...(form.fullName.value && { fullName: form.fullName.value }) });
  if (ok) form.hidden = true;
  showStatus(ok ? "Welcome. Your account is ready." : result.message);
});`,
    operationFor: (token) => ({
      message: "Accept the invite with this operation.",
      operation: { id: "acceptInvite", method: "POST", path: `/api/auth/invites/${token}/accept`, body: { password: "8 to 128 characters" } },
    }),
  },
  "password-reset": {
    title: "Choose a new password",
    formHtml: `<form id="form">
${PASSWORD_FIELD}`,
    button: "Change password",
    script: `
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, result } = await send("../api/auth/password-reset/confirm", { token, newPassword: form.password.value });
  if (ok) form.hidden = true;
  showStatus(ok ? "Your password has been changed, and you are signed out everywhere else." : result.message);
});`,
    operationFor: (token) => ({
      message: "Choose the new password with this operation.",
      operation: { id: "confirmPasswordReset", method: "POST", path: "/api/auth/password-reset/confirm", body: { token, newPassword: "8 to 128 characters" } },
    }),
  },
  // A button instead of a confirming GET, since mail scanners open links.
  "email-confirmation": {
    title: "Confirm your e-mail address",
    formHtml: `<form id="form">
`,
    button: "Confirm",
    script: `
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, result } = await send("../api/auth/email/confirm", { token });
  if (ok) form.hidden = true;
  showStatus(ok ? "Thank you. Your address is confirmed." : result.message);
});`,
    operationFor: (token) => ({
      message: "Confirm the address with this operation.",
      operation: { id: "confirmEmail", method: "POST", path: "/api/auth/email/confirm", body: { token } },
    }),
  },
};

/** Creates the routes of the pages. With `Accept: application/json` the response describes the operation of the page. */
export function linkPageRoutes(): Router {
  const router = express.Router();
  for (const [name, page] of Object.entries(pagesByName)) {
    const [pageHtml, script] = [renderPage(page), sharedScript + page.script];
    router.get(`/${name}/page.js`, (_req, res) => {
      res.type("text/javascript").send(script);
    });
    router.get(`/${name}/:token`, (req, res) => {
      if (req.accepts(["html", "json"]) === "json") res.json(page.operationFor(req.params.token!));
      else res.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY).type("html").send(pageHtml);
    });
  }
  return router;
}
