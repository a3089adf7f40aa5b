/** Keywords by which recipients stop and restart text messages, in English, Spanish, French, Portuguese, Chinese and Vietnamese. */

/** Words by language, without marks, spaces and punctuation. Carriers prescribe the English ones. */
const stopWords = {
  en: ["STOP", "STOPALL", "END", "CANCEL", "UNSUBSCRIBE", "QUIT", "REVOKE", "OPTOUT"],
  es: ["ALTO", "PARAR", "PARA", "PARE", "DETENER", "BAJA", "DARDEBAJA", "CANCELAR", "FIN", "TERMINAR"],
  fr: ["ARRET", "ARRETER", "ARRETE", "ARRETEZ", "DESABONNER", "DESABONNEMENT", "DESINSCRIRE", "ANNULER", "FIN"],
  pt: ["PARAR", "PARE", "SAIR", "CANCELAR", "DESCADASTRAR", "REMOVER"],
  zh: ["停止", "停", "退订", "退訂", "取消", "取消订阅", "取消訂閱", "结束", "結束"],
  vi: ["DUNG", "DUNGLAI", "NGUNG", "NGUNGLAI", "HUY", "HUYBO", "HUYĐANGKY", "HUYDANGKY"],
};
const startWords = {
  en: ["START", "UNSTOP"],
  es: ["INICIAR", "EMPEZAR", "COMENZAR", "REANUDAR", "ALTA"],
  fr: ["DEMARRER", "COMMENCER", "REPRENDRE", "REABONNER"],
  pt: ["INICIAR", "COMECAR", "RETOMAR"],
  zh: ["开始", "開始", "恢复", "恢復", "订阅", "訂閱"],
  vi: ["BATĐAU", "BATDAU", "TIEPTUC", "ĐANGKY", "DANGKY"],
};
const allStopWords = Object.values(stopWords).flat();
const allStartWords = Object.values(startWords).flat();

export interface SmsKeyword {
  word: string;
  effect: "stop" | "start";
}

/**
 * Returns the keyword that a text message consists of, in any case and with any marks and punctuation, or undefined for another text. Letters that
 * are not English are ignored around an English keyword.
 */
export function smsKeyword(body: string): SmsKeyword | undefined {
  const upper = body.toUpperCase();
  return keywordOf(lettersOf(upper), allStopWords, allStartWords) ?? keywordOf(upper.replaceAll(/[^A-Z]/g, ""), stopWords.en, startWords.en);
}

function keywordOf(word: string, stop: readonly string[], start: readonly string[]): SmsKeyword | undefined {
  if (stop.includes(word)) return { word, effect: "stop" };
  return start.includes(word) ? { word, effect: "start" } : undefined;
}

/** Returns the letters of a text without marks. The Vietnamese Đ is a letter of its own: "đúng" (right) and "dừng" (stop) remain different. */
const lettersOf = (text: string): string => text.normalize("NFKD").replaceAll(/\P{L}/gu, "");
