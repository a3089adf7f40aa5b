/** E-mails that a machine has written: automatic answers, mailing lists and returned mail. */

/** Headers of an e-mail, by their names in lower case. */
export type EmailHeaders = ReadonlyMap<string, string>;

const BULK = /^\s*(bulk|junk|list|auto_reply)\s*$/i;
const RETURNED = /\bmultipart\/report\b/i;
const MACHINE_SENDER = /^(mailer-daemon|postmaster)@/i;

/** Returns the reason for which an e-mail was written by a machine, or null. Answering it could start a loop. */
export function automaticReason(from: string, headers: EmailHeaders): string | null {
  const autoSubmitted = headers.get("auto-submitted");
  if (autoSubmitted !== undefined && !/^\s*no\b/i.test(autoSubmitted)) return "automatic_reply";
  if (headers.has("x-autoreply") || headers.has("x-autorespond")) return "automatic_reply";
  if (BULK.test(headers.get("precedence") ?? "") || headers.has("list-id")) return "bulk_mail";
  if (MACHINE_SENDER.test(from) || RETURNED.test(headers.get("content-type") ?? "") || headers.get("return-path")?.trim() === "<>") return "returned_mail";
  return null;
}
