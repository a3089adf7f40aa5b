/** Events of the signed-in user's organization, as they happen. */
import { call } from "./demo.js";

const MAX_EVENTS = 50;
const RETRY_MS = 3_000;
const hint = document.getElementById("events-hint");
const list = document.getElementById("events");
const payButton = document.getElementById("record-payment");
let source;
let token;
let lastEventId;

function addEvent({ type, data }) {
  const event = JSON.parse(data);
  const item = document.createElement("li");
  const [time, name, details] = ["time", "b", "code"].map((tag) => document.createElement(tag));
  time.dateTime = event.occurredAt;
  time.textContent = new Date(event.occurredAt).toLocaleTimeString();
  name.textContent = type;
  details.textContent = JSON.stringify(event.data, null, 1).replace(/\s+/g, " ");
  item.append(time, name, details);
  list.prepend(item);
  while (list.children.length > MAX_EVENTS) list.lastChild.remove();
}

/** Opens the stream, after the last event that it has sent. A browser does not reopen it itself once its token has expired. */
function open(streamUrl, eventTypes) {
  source?.close();
  const url = new URL(streamUrl);
  url.searchParams.set("token", token);
  if (lastEventId) url.searchParams.set("lastEventId", lastEventId);
  const opened = (source = new EventSource(url));
  for (const type of ["stream.ready", ...eventTypes])
    opened.addEventListener(type, (event) => {
      lastEventId = event.lastEventId;
      if (type === "stream.ready") hint.textContent = "Connected. Each change in the organization appears here.";
      else addEvent(event);
    });
  opened.addEventListener("error", () => {
    hint.textContent = "Reconnecting …";
    if (opened.readyState === EventSource.CLOSED && opened === source) setTimeout(() => opened === source && open(streamUrl, eventTypes), RETRY_MS);
  });
}

/** Records a payment of a tenant of the demo, whose event then appears. */
async function recordPayment(apiUrl) {
  const status = document.getElementById("payment");
  try {
    const { leases } = await call(new URL("leases?status=active&pageSize=1", apiUrl), { token });
    const [{ id: leaseId, tenantId }] = leases;
    const body = { leaseId, tenantId, amountCents: 10_000, paymentMethod: "check", receivedAt: new Date().toISOString(), autoAllocate: true };
    await call(new URL("payments", apiUrl), { method: "POST", token, body: { ...body, idempotencyKey: `start-page-${Date.now()}` } });
    status.textContent = "$100.00 was recorded.";
  } catch (error) {
    status.textContent = error.message;
  }
}

/** Shows the events of the signed-in user. A renewal of the token keeps the open stream. */
export function showEvents(apiUrl, { accessToken, user }, eventTypes, isRenewal) {
  token = accessToken;
  payButton.hidden = !["admin", "manager"].includes(user.role);
  payButton.onclick = () => void recordPayment(apiUrl);
  if (isRenewal) return;
  list.replaceChildren();
  lastEventId = undefined;
  open(new URL("events/stream", apiUrl), eventTypes);
}
