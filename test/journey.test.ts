import { firstQuarter } from "./journey.ts";
import { running } from "./running.ts";

firstQuarter(() => running().baseUrl);
