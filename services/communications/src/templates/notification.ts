import { emailHtml } from "./html.ts";
import { toSingleLine, unlinked, type RenderedMessage } from "./template.ts";

/** Title and text of a notification. */
export interface NotificationText {
  title: string;
  body: string | null;
}

const MAX_DIGEST_LINES = 50;
const PREFERENCES_NOTE = "You get this message because of your notification preferences.";
const line = (text: string): string => unlinked(toSingleLine(text));

/** Renders a notification as an e-mail and as a text message. */
export function renderNotification({ organizationName, title, body }: NotificationText & { organizationName: string }): {
  email: RenderedMessage;
  smsText: string;
} {
  const [subject, text] = [line(title), line(body ?? title)];
  const footnotes = [`${line(organizationName)} sent this message. ${PREFERENCES_NOTE}`];
  return {
    email: { subject, text: [text, "", ...footnotes, ""].join("\n"), html: emailHtml(subject, [text], undefined, footnotes) },
    smsText: `${line(organizationName)}: ${text}`,
  };
}

/** Renders the unread notifications of a user as one e-mail, with the first fifty. */
export function renderNotificationDigest({
  organizationName,
  notifications,
}: {
  organizationName: string;
  notifications: readonly NotificationText[];
}): RenderedMessage {
  const { length: count } = notifications;
  const subject = `${count} unread ${count === 1 ? "notification" : "notifications"} of ${line(organizationName)}`;
  const shown = notifications.slice(0, MAX_DIGEST_LINES).map(({ title, body }) => (body === null ? line(title) : `${line(title)}: ${line(body)}`));
  const lines = count > MAX_DIGEST_LINES ? [...shown, `And ${count - MAX_DIGEST_LINES} more.`] : shown;
  const footnotes = [`This is your daily digest. ${PREFERENCES_NOTE}`];
  return { subject, text: [...lines.map((each) => `- ${each}`), "", ...footnotes, ""].join("\n"), html: emailHtml(subject, lines, undefined, footnotes) };
}
