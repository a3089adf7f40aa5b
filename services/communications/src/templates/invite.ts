import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

const asking: ReadonlyMap<string, (organization: string) => string> = new Map([
  ["tenant", (organization) => `${organization} invites you to its tenant portal.`],
  ["owner", (organization) => `${organization} invites you to its owner portal.`],
  ["vendor", (organization) => `${organization} invites you to its vendor portal.`],
]);
const askingColleague = (organization: string) => `You are invited to join ${organization} on Freehold.`;

/** Asks somebody to join an organization, as a colleague or, by `kind`, in a portal. */
export const invite: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, kind = "user", expiresAt }) {
    const organization = organizationName || "a property manager";
    const subject = `Your invitation to ${organization}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const asked = `${(asking.get(kind) ?? askingColleague)(organization)} Choose a password to accept.`;
    const small = [
      `The link is for you alone${expiresAt ? ` and works until ${expiresAt.slice(0, 10)}` : ""}.`,
      "If you did not expect this, ignore it: nothing happens.",
    ];
    return {
      subject,
      text: [greeting, "", asked, "", link, "", ...small, ""].join("\n"),
      html: emailHtml(subject, [greeting, asked], { label: "Accept the invitation", link }, small),
    };
  },
};
