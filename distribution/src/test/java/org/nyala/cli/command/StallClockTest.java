package org.nyala.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.nyala.cli.command.ExportFile.StallClock;

class StallClockTest {
  private static final long STALL = 1000;
  private static final long LOOK = 100;

  private final StallClock clock = new StallClock(STALL, LOOK, 0);
  private long now;

  /** Checks until a time, and returns when the write had waited too long; -1 for never. */
  private long looks(long begun, long until) {
    while (now < until) {
      now += LOOK;
      if (clock.isOver(begun, now)) {
        return now;
      }
    }
    return -1;
  }

  @Test
  void shouldBeOverWhenOneWriteTakesTooLong() {
    assertThat(looks(50, 5000)).isEqualTo(1100);
  }

  @Test
  void shouldGiveEachWriteItsTime() {
    for (int i = 0; i < 20; i++) {
      assertThat(looks(now + 1, now + STALL - LOOK)).isEqualTo(-1);
    }
    assertThat(looks(StallClock.IDLE, now + 10 * STALL)).isEqualTo(-1);
  }

  @Test
  void shouldNotCountTheTimeInWhichTheProcessWasStopped() {
    assertThat(looks(50, 500)).isEqualTo(-1);
    now += 60 * STALL;
    assertThat(clock.isOver(50, now)).isFalse();
    long resumed = now;
    assertThat(looks(50, now + 5000)).isEqualTo(resumed + STALL + LOOK);
  }

  @Test
  void shouldCountTheTimeOfABusyMachine() {
    now += 3 * LOOK;
    assertThat(clock.isOver(50, now)).isFalse();
    now += 4 * LOOK;
    assertThat(clock.isOver(50, now)).isFalse();
    assertThat(looks(50, 5000)).isEqualTo(1100);
  }
}
