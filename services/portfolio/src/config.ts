import { databaseUrl, readConfig, serviceSettings } from "@freehold/kit/config";
import { z } from "zod";

const schema = z.object({ ...serviceSettings, PORTFOLIO_DATABASE_URL: databaseUrl("portfolio") });

export const config = () => readConfig(schema);
