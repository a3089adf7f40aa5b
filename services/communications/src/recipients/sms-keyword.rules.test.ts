import { describe, expect, test } from "@jest/globals";
import { smsKeyword } from "./sms-keyword.rules.ts";

describe("smsKeyword", () => {
  test.each(["STOP", "stop", " Stop. ", "STOP!", "stop all", "END", "cancel", "Unsubscribe", "QUIT", "opt out"])("%j stops text messages", (body) => {
    expect(smsKeyword(body)?.effect).toBe("stop");
  });
  test.each([
    ["Spanish", "Alto", "dar de baja", "pare", "cancelar"],
    ["French", "ARRÊT", "arrêtez !", "Désabonner"],
    ["Portuguese", "parar", "Pare.", "SAIR"],
    ["Chinese", "停止", "退订。", "取消訂閱"],
    ["Vietnamese", "DỪNG", "dừng lại", "Huỷ", "hủy đăng ký"],
  ])("in %s, %j and %j stop text messages", (_, ...bodies) => {
    expect(bodies.map((body) => smsKeyword(body)?.effect)).toEqual(bodies.map(() => "stop"));
    // Letters and marks as separate characters, as some telephones send them.
    expect(bodies.map((body) => smsKeyword(body.normalize("NFD"))?.effect)).toEqual(bodies.map(() => "stop"));
  });
  test.each(["iniciar", "¡Reanudar!", "démarrer", "Retomar", "订阅", "恢復", "đăng ký", "ĐĂNG KÝ"])("%j starts them again", (body) => {
    expect(smsKeyword(body)?.effect).toBe("start");
  });
  test.each(["Voy a parar mañana", "Ne pas arrêter l'eau", "Não cancelar a visita", "不要停止供水", "Đúng", "Đừng", "É para", "Đừng hủy"])(
    "%j is no keyword, although it contains one or resembles it",
    (body) => {
      expect(smsKeyword(body)).toBeUndefined();
    },
  );
  test.each(["Huy", "Dung", "Dũng", "dung", "Baja", "Alta", "Para 5", "Parar 2", "Fin", "Commencer", "Empezar", "tiếp tục"])(
    "%j is no keyword, since it is also a usual answer or a name",
    (body) => {
      expect(smsKeyword(body)).toBeUndefined();
    },
  );
  test.each(["START", "unstop", "Start!"])("%j starts them again", (body) => {
    expect(smsKeyword(body)?.effect).toBe("start");
  });
  test.each(["Please stop by tomorrow", "The tap does not stop", "", "Yes", "1"])("%j is no keyword", (body) => {
    expect(smsKeyword(body)).toBeUndefined();
  });
});
