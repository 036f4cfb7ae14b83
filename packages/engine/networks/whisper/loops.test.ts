import { describe, expect, it } from "vitest";
import { compressionRatio, endsInLoop } from "./loops.ts";

const repeat = (phrase: number[], times: number) => Array.from({ length: times }, () => phrase).flat();

describe("[V5] a decoder stuck in a loop", () => {
  it("is detected by its tokens", () => {
    expect(endsInLoop(repeat([1, 2, 3, 4, 5], 6))).toBe(true);
    expect(endsInLoop([9, 8, 7, ...repeat([1], 24)])).toBe(true);
    expect(endsInLoop(repeat([1, 2, 3, 4, 5], 5))).toBe(false);
    expect(endsInLoop([...repeat([1], 24), 2])).toBe(false);
    expect(endsInLoop(repeat([1], 8))).toBe(false);
  });

  it("is detected by its text", () => {
    expect(compressionRatio("Thank you. ".repeat(20))).toBeGreaterThan(2.4);
    expect(
      compressionRatio("Seven ships sailed across the northern sea before the winter came."),
    ).toBeLessThan(2.4);
    expect(compressionRatio("")).toBe(0);
    expect(compressionRatio("ขอบคุณครับ ".repeat(20))).toBeGreaterThan(2.4);
    expect(compressionRatio("ご視聴ありがとうございました。".repeat(10))).toBeGreaterThan(2.4);
  });

  it("is not reported for ordinary text in another script", () => {
    const thai =
      "ระเบิดแบบฟิชชันทำงานบนหลักการที่ว่าการรวมนิวเคลียสที่มีโปรตอนและนิวตรอนจำนวนมากต้องใช้พลังงาน " +
      "นักกีฏวิทยาเรียกแมลงกลุ่มนี้ในลักษณะที่เป็นทางการว่าแมลงปีกแข็ง เขาไม่ได้กำหนดตัวเลขสำหรับการตัดงบประมาณ " +
      "โดยกล่าวว่าการกำหนดจะขึ้นอยู่กับผลผลิตทางเศรษฐกิจของจีน สภาพอากาศเลวร้ายที่เป็นสาเหตุของการยกเลิกการลงจอด";
    expect(compressionRatio(thai)).toBeLessThan(2);
  });
});
