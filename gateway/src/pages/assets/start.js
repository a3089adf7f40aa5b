/** Start page: the status of the services, the sign-in of a demo user, live events and the development outbox. */
import { connectSignIn, settings } from "./demo.js";
import { showEvents } from "./events.js";
import { showOutbox } from "./outbox.js";

const POLL_MS = 5_000;
const STATUS_TEXTS = { ok: "All services work", degraded: "Works, with delays", down: "A service is down" };
const baseUrl = new URL("./", location.href);
const apiUrl = new URL("api/", baseUrl);
const worst = (checks) => ["down", "degraded"].find((status) => checks.some((check) => check.status === status)) ?? "ok";

function showStatus(status, text) {
  const element = document.getElementById("status");
  element.className = `status ${status}`;
  element.textContent = text;
}

/** Returns the element of a service, with the details of its checks that have failed. */
function serviceElement(name, checks) {
  const [item, title, detail] = ["li", "b", "span"].map((tag) => document.createElement(tag));
  item.className = worst(checks);
  title.textContent = name;
  const failed = checks.filter(({ status }) => status !== "ok");
  detail.textContent =
    failed.length === 0
      ? `works, ${checks[0].latencyMs.toFixed(0)} ms`
      : failed.map((check) => `${check.name.split(".").at(1) ?? "service"}: ${check.detail ?? check.status}`).join(", ");
  item.append(title, detail);
  return item;
}

/** Shows the health of the services. A response with 503 contains it too. */
async function showHealth() {
  try {
    const response = await fetch(new URL("health", apiUrl));
    const { status, checks } = await response.json();
    showStatus(status, STATUS_TEXTS[status]);
    const byService = Map.groupBy(checks, ({ name }) => name.split(".")[0]);
    document.getElementById("services").replaceChildren(...[...byService].map(([name, ofService]) => serviceElement(name, ofService)));
  } catch {
    showStatus("down", "The gateway does not respond");
  }
}

/** Runs an update now and regularly while the page is visible. */
function poll(update) {
  void update();
  setInterval(() => document.hidden || void update(), POLL_MS);
  document.addEventListener("visibilitychange", () => document.hidden || void update());
}

poll(showHealth);
if (settings.hasOutbox) poll(() => showOutbox(apiUrl, baseUrl, settings.publicUrl));
connectSignIn(apiUrl, (session, isRenewal) => showEvents(apiUrl, session, settings.eventTypes, isRenewal));
