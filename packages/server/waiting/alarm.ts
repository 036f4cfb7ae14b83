/** An interruptible sleep; a ring while nobody sleeps interrupts the next sleep. */
export type Alarm = { ring(): void; sleep(ms: number): Promise<void> };

export function makeAlarm(): Alarm {
  let isRinging = false;
  let wake = () => {};
  return {
    ring(): void {
      isRinging = true;
      wake();
    },
    async sleep(ms: number): Promise<void> {
      if (!isRinging) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isRinging = false;
    },
  };
}
