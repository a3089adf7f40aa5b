/** Returned mail: reports of mail servers that an e-mail could not be delivered (RFC 3464). */
import { isAddressStatus } from "../../messages/rejection.rules.ts";
import { parseAddress } from "./address.rules.ts";
import { idsOf } from "./message-ids.ts";
import type { EmailFeedback } from "./webhook-content.ts";

/** Parts of a report. */
export interface DeliveryReport {
  /** Fields of the report, a group for each recipient. */
  status: string;
  /** Headers of the e-mail that was returned. */
  original: string;
}

const MAX_PARTS = 20;
const MAX_GROUPS = 50;

const unfold = (headers: string): string => headers.replaceAll(/\r?\n[ \t]+/g, " ");
/** Splits a message or a part into its headers and its content. */
function split(entity: string): [headers: string, content: string] {
  const blank = /\r?\n\r?\n/.exec(entity);
  return blank ? [unfold(entity.slice(0, blank.index)), entity.slice(blank.index + blank[0].length)] : [unfold(entity), ""];
}
const fieldOf = (headers: string, name: string): string | undefined => new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(headers)?.[1]?.trim();

/** Returns the report in the source of an e-mail of bounded size, or undefined for another e-mail. */
export function findDeliveryReport(source: string): DeliveryReport | undefined {
  const [headers, content] = split(source);
  const type = fieldOf(headers, "content-type") ?? "";
  if (!/^multipart\/report\b/i.test(type) || !/report-type="?delivery-status\b/i.test(type)) return undefined;
  const boundary = /\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type);
  if (!boundary) return undefined;
  const parts = content
    .split(`--${boundary[1] ?? boundary[2]}`)
    .slice(1, MAX_PARTS)
    .map((part) => split(part.trimStart()));
  const contentOf = (types: RegExp) => parts.find(([partHeaders]) => types.test(fieldOf(partHeaders, "content-type") ?? ""))?.[1];
  const status = contentOf(/^message\/(global-)?delivery-status\b/i);
  const original = contentOf(/^(message\/(rfc822|global|global-headers)|text\/rfc822-headers)\b/i);
  return status === undefined ? undefined : { status, original: split(original ?? "")[0] };
}

/** Returns the recipients of a report with the status of each that failed for good. */
function readFailures(status: string): { address: string; status: string }[] {
  return status
    .split(/\r?\n[ \t]*\r?\n/)
    .slice(0, MAX_GROUPS)
    .map(unfold)
    .flatMap((group) => {
      const code = /^5\.\d{1,3}\.\d{1,3}\b/.exec(fieldOf(group, "status") ?? "")?.[0];
      if (code === undefined || fieldOf(group, "action")?.toLowerCase() !== "failed") return [];
      const recipients = [fieldOf(group, "original-recipient"), fieldOf(group, "final-recipient")];
      return recipients.flatMap((recipient) => parseAddress(recipient?.split(";").at(-1) ?? "") ?? []).map((address) => ({ address, status: code }));
    });
}

/**
 * Returns the bounce that a report describes: `bounced` when an address does not exist or is disabled, `rejected` when this e-mail was refused for
 * another reason. The report takes effect only on an e-mail of ours to the address, since anybody can send one. Undefined without a permanent
 * failure or the `Message-ID` of an e-mail.
 */
export function readReturnedMail({ status, original }: DeliveryReport, answeredIds: readonly string[] = []): EmailFeedback | undefined {
  const failures = readFailures(status);
  const emailMessageIds = [...new Set([...idsOf(fieldOf(original, "message-id") ?? ""), ...answeredIds])];
  if (failures.length === 0 || emailMessageIds.length === 0) return undefined;
  const bounced = failures.filter((failure) => isAddressStatus(failure.status));
  const addresses = [...new Set((bounced.length > 0 ? bounced : failures).map(({ address }) => address))];
  return { kind: "email_feedback", effect: bounced.length > 0 ? "bounced" : "rejected", addresses, emailMessageIds, isReturnedMail: true };
}
