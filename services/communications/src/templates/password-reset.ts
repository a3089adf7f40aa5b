import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Lets somebody who forgot the password of one organization choose another. */
export const passwordReset: Template = {
  requiredFields: ["link"],
  render({ link = "", organizationName, fullName, expiresAt }) {
    const subject = `Choose a new password${organizationName ? ` for ${organizationName}` : ""}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const asked = `Somebody asked for a new password for your account${organizationName ? ` at ${organizationName}` : ""}. Choose it by this link.`;
    const small = [
      `The link works once${expiresAt ? `, until ${expiresAt.slice(0, 16).replace("T", " ")} UTC` : ""}, and signs you out everywhere else.`,
      "If you did not ask for this, ignore it: your password stays as it is.",
    ];
    return {
      subject,
      text: [greeting, "", asked, "", link, "", ...small, ""].join("\n"),
      html: emailHtml(subject, [greeting, asked], { label: "Choose a new password", link }, small),
    };
  },
};
