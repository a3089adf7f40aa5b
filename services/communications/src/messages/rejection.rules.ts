/** Permanent rejections of e-mails: of the recipient's address, or of this e-mail and its sender. */

/** Status codes (RFC 3463) of the sender's address, among those of addresses. */
const SENDER_STATUSES = new Set(["5.1.7", "5.1.8"]);
/** Texts about the sender, from servers without status codes. */
const SENDER_TEXT = /\b(relay\w*|spam\w*|block\w*|black-?list\w*|listed|policy|reputation|authenticat\w*|banned|spf|dkim|dmarc)\b/i;

/**
 * Tells whether a permanent status code says that an address does not exist or is disabled: then no e-mail to it is accepted. A full mailbox, a large
 * or unwanted e-mail, and a sender who is refused say nothing about the address.
 */
export const isAddressStatus = (status: string): boolean => /^5\.(0\.0|1\.\d+|2\.1|4\.[14])$/.test(status) && !SENDER_STATUSES.has(status);

/** Tells whether the response of a mail server to a recipient, such as `550 5.1.1 No such user`, rejects the address for good. */
export function isAddressRejection(response: string): boolean {
  const [, code, status] = /^(5\d\d)[ -](5\.\d{1,3}\.\d{1,3}\b)?/.exec(response) ?? [];
  if (status !== undefined) return isAddressStatus(status);
  return (code === "550" || code === "551" || code === "553") && !SENDER_TEXT.test(response);
}
