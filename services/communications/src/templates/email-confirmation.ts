import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Confirmation of the e-mail address after a sign-up. */
export const emailConfirmation: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, expiresAt }) {
    const subject = "Confirm your e-mail address";
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `This e-mail address was used to sign up${organizationName ? ` ${organizationName}` : ""}. Please confirm that it is yours.`;
    const footnotes = [
      `The link works once${expiresAt ? `, until ${expiresAt.slice(0, 16).replace("T", " ")} UTC` : ""}.`,
      "If you did not sign up, you can ignore this e-mail. The address stays unconfirmed.",
    ];
    return {
      subject,
      text: [greeting, "", body, "", link, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body], { label: "Confirm the address", link }, footnotes),
    };
  },
};
