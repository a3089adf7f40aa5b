/** Routes of the rows that imports write as several records. */
import { importedMoney } from "@freehold/contract/imports/imported-money";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { importDeposit } from "./import-deposit.ts";
import { importOpeningBalance } from "./import-opening-balance.ts";
import { importPayment } from "./import-payment.ts";
import { importRecurringCharge } from "./import-recurring-charge.ts";

export const importedMoneyRoutes = (clients: Clients) =>
  routes(importedMoney, {
    importPayment: ({ db, body }) => importPayment(db, clients, body),
    importDeposit: ({ db, body }) => importDeposit(db, clients, body),
    importRecurringCharge: ({ db, body }) => importRecurringCharge(db, clients, body),
    importOpeningBalance: ({ db, body }) => importOpeningBalance(db, clients, body),
  });
