/** Messages of the development outbox. A message is shown in a frame without scripts, from which its links open in a tab of their own. */
const list = document.getElementById("mails");
const hint = document.getElementById("mails-hint");
let shownId;

const escapeText = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const linkify = (text) => escapeText(text).replace(/https?:\/\/[^\s<]+[^\s<.,)]/g, (url) => `<a href="${url}">${url}</a>`);

/** Document of a message. Links to the system lead to the address at which this page was opened. */
function documentOf({ html, text }, baseUrl, publicUrl) {
  const content = html ?? `<pre style="font:16px/1.5 system-ui,sans-serif;white-space:pre-wrap">${linkify(text)}</pre>`;
  const links = content.replaceAll(publicUrl.replace(/\/+$/, ""), baseUrl.href.replace(/\/$/, ""));
  return `<base target="_blank"><meta name="color-scheme" content="light">${links}`;
}

function showMessage(message, baseUrl, publicUrl) {
  shownId = message.id;
  document.getElementById("mail").hidden = false;
  document.getElementById("mail-subject").textContent = message.subject ?? "Text message";
  document.getElementById("mail-people").textContent = `From ${message.from} to ${message.to}, ${new Date(message.createdAt).toLocaleString()}`;
  document.getElementById("mail-body").srcdoc = documentOf(message, baseUrl, publicUrl);
  for (const button of list.querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset.id === shownId));
}

function messageButton(message, show) {
  const [item, button, subject, recipient] = ["li", "button", "b", "span"].map((tag) => document.createElement(tag));
  button.type = "button";
  button.dataset.id = message.id;
  button.setAttribute("aria-current", String(message.id === shownId));
  subject.textContent = message.subject ?? message.text.slice(0, 60);
  recipient.textContent = message.to;
  button.append(subject, recipient);
  button.addEventListener("click", () => show(message));
  item.append(button);
  return item;
}

/** Adds new messages at the top and removes those that are no longer kept. The others stay in place, so that none loses the focus. */
function updateList(messages, show) {
  const kept = new Set(messages.map(({ id }) => id));
  const listed = new Map([...list.querySelectorAll("button")].map((button) => [button.dataset.id, button.parentElement]));
  for (const [id, item] of listed) if (!kept.has(id)) item.remove();
  list.prepend(...messages.filter(({ id }) => !listed.has(id)).map((each) => messageButton(each, show)));
}

/** Reads the messages and shows them, the newest one opened at first. */
export async function showOutbox(apiUrl, baseUrl, publicUrl) {
  try {
    const response = await fetch(new URL("dev/outbox", apiUrl));
    const { messages = [], message } = await response.json();
    if (!response.ok) throw new Error(message);
    hint.textContent =
      messages.length === 0
        ? "No messages yet. E-mails and text messages are stored here instead of sent: invite somebody or reset a password."
        : "E-mails and text messages are stored here instead of sent. Their links work.";
    const show = (each) => showMessage(each, baseUrl, publicUrl);
    updateList(messages, show);
    if (shownId === undefined && messages.length > 0) show(messages[0]);
  } catch (error) {
    hint.textContent = `The outbox cannot be read: ${error.message}`;
  }
}
