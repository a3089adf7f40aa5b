/** Routes of e-mail accounts. */
import { emailAccounts } from "@freehold/contract/communications/email-accounts";
import { routes } from "@freehold/kit/http/routes";
import { getEmailAccountView } from "./email-account.queries.ts";
import {
  createEmailAccount,
  deleteEmailAccount,
  listEmailAccounts,
  setDefaultEmailAccount,
  updateEmailAccount,
  type EmailAccountDependencies,
} from "./email-accounts.ts";
import { testEmailAccount } from "./account-mails.ts";
import { verifyEmailAccount } from "./verify-email-account.ts";

export const emailAccountRoutes = (dependencies: EmailAccountDependencies) =>
  routes(emailAccounts, {
    listEmailAccounts: ({ db, query }) => listEmailAccounts(db, query),
    createEmailAccount: ({ db, body }) => createEmailAccount(db, dependencies, body),
    getEmailAccount: async ({ db, params }) => ({ emailAccount: await getEmailAccountView(db, params.id) }),
    updateEmailAccount: ({ db, params, body }) => updateEmailAccount(db, params.id, body),
    deleteEmailAccount: ({ db, params }) => deleteEmailAccount(db, params.id),
    verifyEmailAccount: ({ db, params, body }) => verifyEmailAccount(db, dependencies, params.id, body),
    setDefaultEmailAccount: ({ db, params }) => setDefaultEmailAccount(db, params.id),
    testEmailAccount: ({ db, params }) => testEmailAccount(db, dependencies, params.id),
  });
