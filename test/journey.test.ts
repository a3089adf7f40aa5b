import { firstQuarter } from "./support/journey.ts";
import { running } from "./support/running.ts";

firstQuarter(() => running().baseUrl);
