/** Sign-in of a demo user, with one click and for as long as the page is open. */

/** Settings that the gateway writes into the page. */
export const settings = JSON.parse(document.getElementById("settings").textContent);

const RENEWAL_MS = 600_000;
/** Role of the signed-in user, kept for other pages and for a reload of this tab. */
const ROLE = "freehold-demo-role";

/** Calls the API. Throws an error with the message of the response unless it succeeds. */
export async function call(url, { method = "GET", token, body } = {}) {
  const response = await fetch(url, {
    method,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.message);
  return result;
}

/**
 * Connects the sign-in form. `onSignIn` receives the result of the sign-in and whether it only renews the access token of the
 * same user.
 */
export function connectSignIn(apiUrl, onSignIn) {
  const form = document.getElementById("sign-in");
  if (!form) return;
  const [select, status] = [form.querySelector("select"), document.getElementById("signed-in")];
  let renewal;

  async function signIn(role, isRenewal) {
    if (!isRenewal) status.textContent = "Signing in …";
    const { email } = settings.demo.logins.find((login) => login.role === role);
    const result = await call(new URL("auth/login", apiUrl), { method: "POST", body: { email, password: settings.demo.password } });
    sessionStorage.setItem(ROLE, role);
    clearInterval(renewal);
    renewal = setInterval(() => signInOrExplain(role, true), RENEWAL_MS);
    await onSignIn(result, isRenewal);
    status.textContent = `Signed in as ${result.user.fullName} (${role}).`;
  }
  const signInOrExplain = (role, isRenewal) =>
    signIn(role, isRenewal).catch((error) => {
      status.textContent = `The sign-in failed: ${error.message}`;
    });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void signInOrExplain(select.value, false);
  });
  const earlierRole = sessionStorage.getItem(ROLE);
  if (settings.demo.logins.some(({ role }) => role === earlierRole)) {
    select.value = earlierRole;
    void signInOrExplain(earlierRole, false);
  }
}
