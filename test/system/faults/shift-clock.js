// Preloaded into a replica (`node --import`): its clock is off by SHIFT_CLOCK_HOURS.
const offset = Number(process.env.SHIFT_CLOCK_HOURS) * 3_600_000;

const RightDate = Date;

globalThis.Date = class extends RightDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RightDate.now() + offset);
  }

  static now() {
    return RightDate.now() + offset;
  }
};
