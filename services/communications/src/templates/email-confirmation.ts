import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Asks somebody who signed up whether the address is theirs. */
export const emailConfirmation: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, expiresAt }) {
    const subject = "Confirm your e-mail address";
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const asked = `You signed up${organizationName ? ` ${organizationName}` : ""} with this e-mail address. Confirm that it is yours.`;
    const small = [
      `The link works once${expiresAt ? `, until ${expiresAt.slice(0, 16).replace("T", " ")} UTC` : ""}.`,
      "If you did not sign up, ignore it: the address stays unconfirmed.",
    ];
    return {
      subject,
      text: [greeting, "", asked, "", link, "", ...small, ""].join("\n"),
      html: emailHtml(subject, [greeting, asked], { label: "Confirm the address", link }, small),
    };
  },
};
