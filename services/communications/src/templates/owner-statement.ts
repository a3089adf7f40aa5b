import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** E-mail with the link to a statement of an owner. It contains no figures. The periods and the expiry are plain dates. */
export const ownerStatement: Template = {
  requiredFields: ["link", "periodStart", "periodEnd"],
  render({ link = "", organizationName, fullName, periodStart = "", periodEnd = "", expiresOn }) {
    const organization = organizationName || "A property manager";
    const period = `${longDate(periodStart)} to ${longDate(periodEnd)}`;
    const subject = `Your owner statement for ${period}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `${organization} has prepared your owner statement for ${period}.`;
    const footnotes = [`The link is personal and opens the statement without a sign-in${expiresOn ? ` until ${longDate(expiresOn)}` : ""}. Do not forward it.`];
    return {
      subject,
      text: [greeting, "", body, "", link, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body], { label: "Open the statement", link }, footnotes),
    };
  },
};

/** Returns a plain date such as `January 31, 2026`, and any other text as it is. */
function longDate(date: string): string {
  const time = Date.parse(date);
  return Number.isNaN(time) ? date : new Date(time).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
}
