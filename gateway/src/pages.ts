/** The pages behind the links that we send: each completes its one step in the browser. */
import express, { type Router } from "express";

const POLICY = "default-src 'self'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'";

const invitePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Accept your invite</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1c2430 }
label { display: block; margin: 1rem 0 .25rem } input { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box }
button { font: inherit; margin-top: 1.5rem; padding: .6rem 1.2rem; background: #1d5c3f; color: #fff; border: 0; border-radius: .25rem } [role=status] { margin-top: 1rem }
</style>
</head>
<body>
<h1>Accept your invite</h1>
<p id="about">One moment …</p>
<form id="form" hidden>
<label for="fullName">Your name</label><input id="fullName" name="fullName" autocomplete="name">
<label for="password">Choose a password, at least 8 characters</label><input id="password" name="password" type="password" minlength="8" maxlength="128" autocomplete="new-password" required>
<button>Accept</button>
</form>
<p role="status" id="status"></p>
<script src="/invites/page.js"></script>
</body>
</html>`;

const inviteScript = `
const token = location.pathname.split("/").pop();
const operation = "/api/auth/invites/" + encodeURIComponent(token);
const say = (text) => { document.getElementById("status").textContent = text };
const form = document.getElementById("form");
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
  const body = { password: form.password.value, ...(form.fullName.value && { fullName: form.fullName.value }) };
  const response = await fetch(operation + "/accept", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok) form.hidden = true;
  say(response.ok ? "Welcome. Your account is ready." : answer.message);
});`;

/** With \`Accept: application/json\` a link says which operation completes it. */
export function pages(): Router {
  const router = express.Router();
  router.get("/invites/page.js", (_req, res) => {
    res.type("text/javascript").send(inviteScript);
  });
  router.get("/invites/:token", (req, res) => {
    if (req.accepts(["html", "json"]) === "json") {
      res.json({
        message: "Accept the invite with this operation.",
        operation: { id: "acceptInvite", method: "POST", path: `/api/auth/invites/${req.params.token}/accept`, body: { password: "8 to 128 characters" } },
      });
      return;
    }
    res.setHeader("Content-Security-Policy", POLICY).type("html").send(invitePage);
  });
  return router;
}
