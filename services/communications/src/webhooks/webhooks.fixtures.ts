/** Tenants whose answers arrive as webhook events, and waits for these events. */
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, type Office } from "../../../../test/support/office.ts";

export const aPhone = () => `+1518${String(Math.floor(Math.random() * 10_000_000)).padStart(7, "2")}`;

/** Creates a tenant with consent to text messages, to whom the office has written on both channels. */
export async function aCorrespondent(office: Office, { email = anEmail(), phone = aPhone() } = {}) {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email, phone } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  const { conversation, messages } = await office.call("createConversation", {
    body: { participantType: "tenant", participantId: tenant.id, subject: "Keys", message: { body: "Ready.", channel: "email" } },
  });
  const { message } = await office.call("sendConversationMessage", { params: { id: conversation.id }, body: { body: "Ready.", channel: "sms" } });
  return {
    id: tenant.id,
    email,
    phone: tenant.phone!,
    conversationId: conversation.id,
    emailMessageId: messages[0]!.emailMessageId!,
    smsMessageId: message.id,
  };
}

/** Waits for the event of an organization with a status. */
export const eventOf = (office: Office, providerEventId: string) =>
  eventually("processed event", async () => {
    const { webhookEvents } = await office.call("listWebhookEvents", { query: { pageSize: 100 } });
    return webhookEvents.find((event) => event.providerEventId === providerEventId && event.status !== "received");
  });

/** Reads a conversation. */
export const read = (office: Office, id: string) => office.call("getConversation", { params: { id } });
