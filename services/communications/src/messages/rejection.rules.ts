/** Permanent rejections of e-mails: of the recipient's address, or of this e-mail and its sender. */

/**
 * Status codes (RFC 3463, RFC 7505) that say that an address does not exist or is disabled. The general codes, such as 5.0.0 and 5.1.0, also stand for
 * a refused sender or an unwanted e-mail.
 */
const ADDRESS_STATUSES = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"]);
/** Texts of servers that give no such code, about an address. */
const ADDRESS_TEXT =
  /\bno (such|mailbox)\b|\b(unknown|invalid|nonexistent) (user|mailbox|recipient|address)|\b(user|mailbox|recipient|account|address)\b.{0,80}\b(unknown|unavailable|disabled|inactive|not (found|known|local|exist)|(does not|doesn't) exist|rejected)\b/i;
/** Texts about the sender, a limit or a full mailbox. */
const OTHER_TEXT =
  /\b(sender|from|relay\w*|spam\w*|block\w*|black-?list\w*|listed|policy|reputation|authenticat\w*|banned|spf|dkim|dmarc|helo|verif\w*|quota|full|limit\w*|rate|exceed\w*|too many)\b/i;

/**
 * Tells whether a permanent status code says that an address does not exist or is disabled: then no e-mail to it is accepted. A full mailbox, a large
 * or unwanted e-mail, and a sender who is refused say nothing about the address.
 */
export const isAddressStatus = (status: string): boolean => ADDRESS_STATUSES.has(status);

/** Tells whether the response of a mail server to a recipient, such as `550 5.1.1 No such user`, rejects the address for good. */
export function isAddressRejection(response: string): boolean {
  const [, code, status] = /^(5\d\d)[ -](5\.\d{1,3}\.\d{1,3}\b)?/.exec(response) ?? [];
  if (status !== undefined && isAddressStatus(status)) return true;
  const isGeneral = status === undefined || status === "5.0.0" || status === "5.1.0" || status === "5.4.1";
  return isGeneral && (code === "550" || code === "551" || code === "553") && ADDRESS_TEXT.test(response) && !OTHER_TEXT.test(response);
}
