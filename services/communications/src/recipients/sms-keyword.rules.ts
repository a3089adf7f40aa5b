/** Keywords by which recipients stop and restart text messages, in English, Spanish, French, Portuguese, Chinese and Vietnamese. */

/**
 * Words by language in capitals, without spaces and punctuation. Carriers prescribe the English ones. Words that are also usual answers or names are
 * left out, such as "baja" (low), "alta" (high) and "Huy"; those with marks are keywords with them only: "đúng" means right, and "dừng" stop.
 */
const stopWords = {
  en: ["STOP", "STOPALL", "END", "CANCEL", "UNSUBSCRIBE", "QUIT", "REVOKE", "OPTOUT"],
  es: ["ALTO", "PARAR", "PARE", "DETENER", "DARDEBAJA", "CANCELAR", "TERMINAR"],
  fr: ["ARRET", "ARRETER", "ARRETE", "ARRETEZ", "DESABONNER", "DESABONNEMENT", "DESINSCRIRE", "ANNULER"],
  pt: ["PARAR", "PARE", "SAIR", "CANCELAR", "DESCADASTRAR", "REMOVER"],
  zh: ["停止", "停", "退订", "退訂", "取消", "取消订阅", "取消訂閱", "结束", "結束"],
  vi: ["DỪNG", "DUNGLAI", "NGỪNG", "NGUNGLAI", "HỦY", "HUỶ", "HUYBO", "HUYĐANGKY", "HUYDANGKY"],
};
/** Only words that ask for messages, since they restore a consent. */
const startWords = {
  en: ["START", "UNSTOP"],
  es: ["INICIAR", "REANUDAR"],
  fr: ["DEMARRER", "REABONNER"],
  pt: ["INICIAR", "RETOMAR"],
  zh: ["恢复", "恢復", "订阅", "訂閱"],
  vi: ["ĐANGKY", "DANGKY"],
};
const allStopWords = Object.values(stopWords).flat();
const allStartWords = Object.values(startWords).flat();

export interface SmsKeyword {
  word: string;
  effect: "stop" | "start";
}

/**
 * Returns the keyword that a text message consists of, in any case and with any punctuation, or undefined for another text. Letters that are not
 * English, and digits, are ignored around an English keyword.
 */
export function smsKeyword(body: string): SmsKeyword | undefined {
  const upper = body.normalize("NFC").toUpperCase();
  return (
    keywordOf(wordOf(upper), allStopWords, allStartWords) ??
    keywordOf(wordOf(upper.normalize("NFKD").replaceAll(/\p{M}/gu, "")), allStopWords, allStartWords) ??
    keywordOf(upper.replaceAll(/[^A-Z]/g, ""), stopWords.en, startWords.en)
  );
}

function keywordOf(word: string, stop: readonly string[], start: readonly string[]): SmsKeyword | undefined {
  if (stop.includes(word)) return { word, effect: "stop" };
  return start.includes(word) ? { word, effect: "start" } : undefined;
}

/** Returns the letters and digits of a text. */
const wordOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
