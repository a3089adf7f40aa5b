/** E-mails about an e-mail account: the confirmation code of a forwarding address, and test e-mails. */
import type { emailAccounts, EmailAccount as EmailAccountView } from "@freehold/contract/communications/email-accounts";
import type { Output } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { forbidden, preconditionFailed } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../clients.ts";
import { findDeliveries } from "../messages/delivery.view.ts";
import { queueMessages } from "../messages/queue-messages.ts";
import { requireTransport, type MessageTransports } from "../messages/transports.ts";
import { findMessageRefusals } from "../recipients/eligibility.ts";
import { renderAccountConfirmation, renderAccountTest } from "../templates/email-account.ts";
import { hashCode, newCode } from "./confirmation-code.ts";
import type { EmailAccount } from "./email-account.entity.ts";
import { getEmailAccountView, requireVerified } from "./email-account.queries.ts";

/** Stores a new code for a forwarding address, which replaces an earlier one, and sends it to the address. */
export async function sendConfirmation(tx: OrgTx, transports: MessageTransports, account: EmailAccount, organizationName: string): Promise<void> {
  const code = newCode();
  tx.assign(account, { codeHash: hashCode(account.id, code), codeSentAt: now(), codeAttempts: 0 });
  await queueMessages(tx, transports, [
    {
      id: newId(),
      channel: "email",
      template: "email-account-confirmation",
      recipient: null,
      to: account.address,
      ...renderAccountConfirmation({ organizationName, code }),
    },
  ]);
}

/** Sends an e-mail from a verified account to the caller. Throws 412 for one that is not verified, and for a caller whose address returns e-mails. */
export async function testEmailAccount(
  db: OrgDb,
  { clients, transports }: { clients: Clients; transports: MessageTransports },
  id: string,
): Promise<Output<typeof emailAccounts.operations.testEmailAccount>> {
  const account: EmailAccountView = await getEmailAccountView(db, id);
  requireVerified(account);
  requireTransport(transports, "email");
  const { userId } = db.principal;
  const [user] = userId === null ? [] : (await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [userId] })).users;
  if (!user) throw forbidden("Only users can send test e-mails: service keys have no address.");
  const [refusal] = await findMessageRefusals(db, clients, [
    { channel: "email", template: "email-account-test", to: user.email, recipientType: null, recipientId: null },
  ]);
  if (refusal) throw preconditionFailed("E-mails to your address were returned. Change your address first.", "address_suppressed");
  const { name: organizationName } = await clients.identity.getOrganization(db, {});
  return transaction(db, async (tx) => {
    const messageId = newId();
    const content = renderAccountTest({ organizationName, address: account.address });
    await queueMessages(tx, transports, [
      {
        id: messageId,
        channel: "email",
        template: "email-account-test",
        recipient: { type: "user", id: user.id },
        to: user.email,
        emailAccountId: id,
        ...content,
      },
    ]);
    return { delivery: (await findDeliveries(tx, [messageId]))[0]! };
  });
}
