/** The pages behind the links that we send: each completes its one step in the browser. */
import express, { type Router } from "express";

const POLICY = "default-src 'self'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  title: string;
  /** What the form asks; the button stands below it. */
  fields: string;
  button: string;
  /** What the browser runs. It knows the `form`, the `token` of the link, and how to `say` and `send`. */
  script: string;
  /** The operation that completes the step, as programs read it. */
  completes: (token: string) => { message: string; operation: { id: string; method: "POST"; path: string; body: Record<string, string> } };
}

const html = (name: string, { title, fields, button }: Page): string => `<!doctype html>
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
${fields}<button>${button}</button>
</form>
<p role="status" id="status"></p>
<script src="/${name}/page.js"></script>
</body>
</html>`;

const shared = `
const token = location.pathname.split("/").pop();
const say = (text) => { document.getElementById("status").textContent = text };
const form = document.getElementById("form");
const send = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return { ok: response.ok, answer: await response.json() };
};`;

const PASSWORD = `<label for="password">Choose a password, at least 8 characters</label><input id="password" name="password" type="password" minlength="8" maxlength="128" autocomplete="new-password" required>
`;

const table: Record<string, Page> = {
  invites: {
    title: "Accept your invite",
    fields: `<p id="about">One moment …</p>
<form id="form" hidden>
<label for="fullName">Your name</label><input id="fullName" name="fullName" autocomplete="name">
${PASSWORD}`,
    button: "Accept",
    script: `
const operation = "/api/auth/invites/" + encodeURIComponent(token);
fetch(operation).then(async (response) => {
  const answer = await response.json();
  const about = document.getElementById("about");
  if (!response.ok) { about.textContent = "This invite has expired or was revoked. Ask for a new one."; return }
  about.textContent = answer.invite.organizationName + " invites " + answer.invite.email + ".";
  form.fullName.value = answer.invite.fullName ?? "";
  form.hidden = answer.invite.status !== "pending";
  if (form.hidden) say("It has already been accepted. You can sign in.");
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, answer } = await send(operation + "/accept", { password: form.password.value, ...(form.fullName.value && { fullName: form.fullName.value }) });
  if (ok) form.hidden = true;
  say(ok ? "Welcome. Your account is ready." : answer.message);
});`,
    completes: (token) => ({
      message: "Accept the invite with this operation.",
      operation: { id: "acceptInvite", method: "POST", path: `/api/auth/invites/${token}/accept`, body: { password: "8 to 128 characters" } },
    }),
  },
  "password-reset": {
    title: "Choose a new password",
    fields: `<form id="form">
${PASSWORD}`,
    button: "Keep it",
    script: `
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, answer } = await send("/api/auth/password-reset/confirm", { token, newPassword: form.password.value });
  if (ok) form.hidden = true;
  say(ok ? "Your password has been changed, and you are signed out everywhere else." : answer.message);
});`,
    completes: (token) => ({
      message: "Choose the new password with this operation.",
      operation: { id: "confirmPasswordReset", method: "POST", path: "/api/auth/password-reset/confirm", body: { token, newPassword: "8 to 128 characters" } },
    }),
  },
  // A button, since programs that look at mails open the links in them.
  "email-confirmation": {
    title: "Confirm your e-mail address",
    fields: `<form id="form">
`,
    button: "Confirm",
    script: `
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, answer } = await send("/api/auth/email/confirm", { token });
  if (ok) form.hidden = true;
  say(ok ? "Thank you. Your address is confirmed." : answer.message);
});`,
    completes: (token) => ({
      message: "Confirm the address with this operation.",
      operation: { id: "confirmEmail", method: "POST", path: "/api/auth/email/confirm", body: { token } },
    }),
  },
};

/** With `Accept: application/json` a link says which operation completes it. */
export function pages(): Router {
  const router = express.Router();
  for (const [name, page] of Object.entries(table)) {
    const [document, script] = [html(name, page), shared + page.script];
    router.get(`/${name}/page.js`, (_req, res) => {
      res.type("text/javascript").send(script);
    });
    router.get(`/${name}/:token`, (req, res) => {
      if (req.accepts(["html", "json"]) === "json") res.json(page.completes(req.params.token!));
      else res.setHeader("Content-Security-Policy", POLICY).type("html").send(document);
    });
  }
  return router;
}
