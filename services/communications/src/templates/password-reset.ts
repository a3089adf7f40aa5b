import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Link to reset the password of an account in one organization. */
export const passwordReset: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, expiresAt }) {
    const subject = `Choose a new password${organizationName ? ` for ${organizationName}` : ""}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `We received a request to reset the password of your account${organizationName ? ` at ${organizationName}` : ""}. Use this link to choose a new password.`;
    const footnotes = [
      `The link works once${expiresAt ? `, until ${expiresAt.slice(0, 16).replace("T", " ")} UTC` : ""}. A new password signs you out everywhere else.`,
      "If you did not request a new password, you can ignore this e-mail. Your password stays the same.",
    ];
    return {
      subject,
      text: [greeting, "", body, "", link, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body], { label: "Choose a new password", link }, footnotes),
    };
  },
};
