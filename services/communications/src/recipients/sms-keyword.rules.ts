/** Keywords by which recipients stop and restart text messages, in English, Spanish, French, Portuguese, Chinese and Vietnamese. */

/** Words that carriers prescribe. */
const ENGLISH_STOP_WORDS = ["STOP", "STOPALL", "END", "CANCEL", "UNSUBSCRIBE", "QUIT", "REVOKE", "OPTOUT"];
const ENGLISH_START_WORDS = ["START", "UNSTOP"];

/** Words of all languages, without marks, spaces and punctuation. */
const STOP_WORDS = [
  ...ENGLISH_STOP_WORDS,
  ...["ALTO", "PARAR", "PARA", "PARE", "DETENER", "BAJA", "DARDEBAJA", "CANCELAR", "FIN", "TERMINAR"],
  ...["ARRET", "ARRETER", "ARRETE", "ARRETEZ", "DESABONNER", "DESABONNEMENT", "DESINSCRIRE", "ANNULER"],
  ...["SAIR", "DESCADASTRAR", "REMOVER"],
  ...["停止", "停", "退订", "退訂", "取消", "取消订阅", "取消訂閱", "结束", "結束"],
  ...["DUNG", "DUNGLAI", "NGUNG", "NGUNGLAI", "HUY", "HUYBO", "HUYĐANGKY", "HUYDANGKY"],
];
const START_WORDS = [
  ...ENGLISH_START_WORDS,
  ...["INICIAR", "EMPEZAR", "COMENZAR", "REANUDAR", "ALTA"],
  ...["DEMARRER", "COMMENCER", "REPRENDRE", "REABONNER"],
  ...["COMECAR", "RETOMAR"],
  ...["开始", "開始", "恢复", "恢復", "订阅", "訂閱"],
  ...["BATĐAU", "BATDAU", "TIEPTUC", "ĐANGKY", "DANGKY"],
];

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
  return keywordOf(lettersOf(upper), STOP_WORDS, START_WORDS) ?? keywordOf(upper.replaceAll(/[^A-Z]/g, ""), ENGLISH_STOP_WORDS, ENGLISH_START_WORDS);
}

function keywordOf(word: string, stopWords: readonly string[], startWords: readonly string[]): SmsKeyword | undefined {
  if (stopWords.includes(word)) return { word, effect: "stop" };
  return startWords.includes(word) ? { word, effect: "start" } : undefined;
}

/** Returns the letters of a text without marks. The Vietnamese Đ is a letter of its own: "đúng" (right) and "dừng" (stop) remain different. */
const lettersOf = (text: string): string => text.normalize("NFKD").replaceAll(/\P{L}/gu, "");
