import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

const portalInvitations: ReadonlyMap<string, (organization: string) => string> = new Map([
  ["tenant", (organization) => `${organization} invites you to its tenant portal.`],
  ["owner", (organization) => `${organization} invites you to its owner portal.`],
  ["vendor", (organization) => `${organization} invites you to its vendor portal.`],
]);
const colleagueInvitation = (organization: string) => `You are invited to join ${organization} on Freehold.`;

/** Invitation to join an organization, as a colleague or as the portal user given by `kind`. */
export const invite: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, kind = "user", expiresAt }) {
    const organization = organizationName || "a property manager";
    const subject = `Your invitation to ${organization}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `${(portalInvitations.get(kind) ?? colleagueInvitation)(organization)} Choose a password to accept.`;
    const footnotes = [
      `This link is personal${expiresAt ? ` and works until ${expiresAt.slice(0, 10)}` : ""}.`,
      "If you did not expect this invitation, you can ignore this e-mail.",
    ];
    return {
      subject,
      text: [greeting, "", body, "", link, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body], { label: "Accept the invitation", link }, footnotes),
    };
  },
};
