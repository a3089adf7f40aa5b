/** Routes of the check register of a bank account. */
import { checkRegister } from "@freehold/contract/trust/check-register";
import { requestedFile } from "@freehold/kit/http/accept";
import { sendCsv } from "@freehold/kit/http/csv";
import { sendStream } from "@freehold/kit/http/download";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getCheckRegister } from "./check-register.ts";

const csvColumns = ["number", "date", "payee", "amountCents", "status", "clearedOn", "reconciliationId", "entityType", "entityId", "journalEntryId"] as const;

export const checkRegisterRoutes = (clients: Clients) =>
  routes(checkRegister, {
    getCheckRegister: async ({ db, params, query, req, res }) => {
      const register = await getCheckRegister(db, clients, params.id, query);
      const contentType = requestedFile(req, ["text/csv", "application/pdf"], query.format);
      if (contentType === undefined) return { checkRegister: register };
      const name = `check-register-${register.from}-${register.to}`;
      if (contentType === "text/csv") return sendCsv(res, `${name}.csv`, csvColumns, [register.checks]);
      const { checkRegisterPdf } = await import("./check-register-pdf.ts");
      const organization = await clients.identity.getOrganization(db, {});
      return sendStream(req, res, `${name}.pdf`, contentType, () => checkRegisterPdf(organization.name, register));
    },
  });
