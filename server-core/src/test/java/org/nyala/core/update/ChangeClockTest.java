package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.StoreUnavailableException;

final class ChangeClockTest {
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-31T12:00:00.123456789Z"));

  private ChangeClock clock(int serverId, String last) {
    Csn csn = Csn.parse(last);
    return new ChangeClock(
        now::get, serverId, csn == null ? CsnVector.EMPTY : CsnVector.EMPTY.with(csn));
  }

  @Test
  void shouldGiveEveryChangeALaterNumber() {
    ChangeClock clock = clock(4095, "");
    assertThat(clock.nextCsn()).isEqualTo("20260131120000.123456Z#000000#fff#000000");
    assertThat(clock.nextCsn()).isEqualTo("20260131120000.123457Z#000000#fff#000000");
    now.set(Instant.parse("2026-01-31T11:00:00Z"));
    assertThat(clock.nextCsn()).isEqualTo("20260131120000.123458Z#000000#fff#000000");
    now.set(Instant.parse("2026-01-31T12:00:01Z"));
    assertThat(clock.nextCsn()).isEqualTo("20260131120001.000000Z#000000#fff#000000");
    assertThat(clock.timestamp()).isEqualTo("20260131120001Z");
  }

  @Test
  void shouldRefuseLeapsThatCopiesWouldNotFollow() {
    AtomicLong nanos = new AtomicLong();
    ChangeClock clock = leaping(CsnVector.EMPTY, nanos);
    assertThat(clock.next()).hasToString("20260131120000.123456Z#000000#001#000000");
    now.set(Instant.parse("2026-03-12T12:00:00Z"));
    assertThatThrownBy(clock::next)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("has leapt ahead by 959 hours")
        .hasMessageContaining("correct the clock");
    assertThat(clock.leap()).contains("has leapt ahead by 959 hours");
    now.set(Instant.parse("2026-01-31T12:00:10Z"));
    assertThat(clock.leap()).as("corrected").isNull();
    assertThat(clock.next()).hasToString("20260131120010.000000Z#000000#001#000000");
    assertThat(clock.leap()).isNull();
    now.set(Instant.parse("2026-02-01T11:00:10Z"));
    assertThat(clock.next()).as("less").hasToString("20260201110010.000000Z#000000#001#000000");
    nanos.set(TimeUnit.DAYS.toNanos(40));
    now.set(Instant.parse("2026-03-13T12:00:00Z"));
    assertThat(clock.next()).as("passed").hasToString("20260313120000.000000Z#000000#001#000000");
  }

  private ChangeClock leaping(CsnVector given, AtomicLong nanos) {
    return new ChangeClock(
        now::get, 1, given, ChangeClock.Steady.from(now::get, nanos::get), () -> 0);
  }

  /** The store may have lost what came after the last number: others have got that. */
  @Test
  void shouldNotGiveLostNumbersAgainWhileTheClockIsBehind() {
    CsnVector ahead = CsnVector.EMPTY.with(Csn.parse("20260131130000.000000Z#000000#001#000000"));
    Set<Csn> firsts = new HashSet<>();
    for (int seed = 0; seed < 10; seed++) {
      Csn first = new ChangeClock(now::get, 1, ahead, null, new Random(seed)).next();
      assertThat(first.time()).isBetween("2026-01-31T13:00:00Z", "2026-01-31T13:01:00Z");
      firsts.add(first);
    }
    assertThat(firsts).hasSize(10);
    CsnVector past = CsnVector.EMPTY.with(Csn.parse("20260131110000.000000Z#000000#001#000000"));
    assertThat(new ChangeClock(now::get, 1, past, null, new Random(1)).next())
        .hasToString("20260131120000.123456Z#000000#001#000000");
    CsnVector last = CsnVector.EMPTY.with(new Csn(Csn.LAST_MICROS - 1, 0, 1, 0));
    ChangeClock atEnd = new ChangeClock(now::get, 1, last, null, new Random(1));
    assertThat(atEnd.next().micros()).isEqualTo(Csn.LAST_MICROS);
    assertThatThrownBy(atEnd::next).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void shouldRefuseLeapsBetweenTheStartAndTheFirstChange() {
    AtomicLong nanos = new AtomicLong();
    ChangeClock.Steady start = ChangeClock.Steady.from(now::get, nanos::get);
    CsnVector before = CsnVector.EMPTY.with(Csn.parse("20260131115959.000000Z#000000#001#000000"));
    CsnVector soon = CsnVector.EMPTY.with(Csn.parse("20260131120101.000000Z#000000#001#000000"));
    CsnVector after = CsnVector.EMPTY.with(Csn.parse("20260201130001.000000Z#000000#001#000000"));
    nanos.set(TimeUnit.SECONDS.toNanos(60));
    now.set(Instant.parse("2026-03-12T12:01:00Z"));
    ChangeClock leapt = new ChangeClock(now::get, 1, before, start, () -> 0);
    assertThatThrownBy(leapt::next).hasMessageContaining("has leapt ahead by 959 hours");
    ChangeClock ofFollower = new ChangeClock(now::get, 1, soon, start, () -> 0);
    assertThatThrownBy(ofFollower::next)
        .as("others have made the last changes since the start")
        .hasMessageContaining("has leapt ahead by 959 hours");
    ChangeClock wasBehind = new ChangeClock(now::get, 1, after, start, () -> 0);
    assertThat(wasBehind.next()).hasToString("20260312120100.000000Z#000000#001#000000");
  }

  /** As of a server whose time of day is lost for a while. */
  @Test
  void shouldGoOnOnceAClockThatWasSetFarBackIsRightAgain() {
    AtomicLong nanos = new AtomicLong();
    ChangeClock.Steady start = ChangeClock.Steady.from(now::get, nanos::get);
    CsnVector last = CsnVector.EMPTY.with(Csn.parse("20260131115959.000000Z#000000#001#000000"));
    ChangeClock running = new ChangeClock(now::get, 1, last, start, () -> 0);
    assertThat(running.next()).hasToString("20260131120000.123456Z#000000#001#000000");
    nanos.set(TimeUnit.SECONDS.toNanos(60));
    now.set(Instant.parse("2025-12-22T12:01:00Z"));
    CsnVector given = CsnVector.EMPTY.with(running.next());
    ChangeClock nextLeader = new ChangeClock(now::get, 1, given, start, () -> 0);
    for (ChangeClock each : List.of(running, nextLeader)) {
      now.set(Instant.parse("2025-12-22T12:01:00Z"));
      assertThat(each.next().time()).isEqualTo("2026-01-31T12:00:00.123458Z");
      now.set(Instant.parse("2026-03-12T12:01:00Z"));
      assertThatThrownBy(each::next).hasMessageContaining("has leapt ahead by 9");
      now.set(Instant.parse("2026-01-31T12:01:00Z"));
      assertThat(each.leap()).isNull();
      assertThat(each.next()).hasToString("20260131120100.000000Z#000000#001#000000");
    }
  }

  /** Corrections by less than what copies accept do not add up. */
  @Test
  void shouldMeasureALeapFromTheClockAsItWasCorrected() {
    AtomicLong nanos = new AtomicLong();
    ChangeClock clock = leaping(CsnVector.EMPTY, nanos);
    clock.next();
    now.set(Instant.parse("2026-02-01T08:00:00Z"));
    assertThat(clock.next()).hasToString("20260201080000.000000Z#000000#001#000000");
    now.set(Instant.parse("2026-01-31T12:00:02Z"));
    clock.next();
    now.set(Instant.parse("2026-02-01T13:00:00Z"));
    assertThatThrownBy(clock::next).hasMessageContaining("has leapt ahead by 24 hours");
  }

  @Test
  void shouldGoOnAfterWhatAnotherServerGave() {
    assertThat(clock(1, "20270101000000.000009Z#00002a#007#000000").nextCsn())
        .isEqualTo("20270101000000.000010Z#000000#001#000000");
    assertThat(clock(1, "20270101000000Z#000000#00#000000").nextCsn())
        .isEqualTo("20270101000000.000001Z#000000#001#000000");
    assertThat(clock(1, "tomorrow").nextCsn())
        .isEqualTo("20260131120000.123456Z#000000#001#000000");
  }

  @Test
  void shouldGoOnAfterAllServersWhicheverIsTheLatest() {
    CsnVector given = CsnVector.EMPTY;
    for (String text :
        new String[] {
          "20260601000000.000000Z#000000#001#000000",
          "20280101000000.000005Z#000000#00a#000000",
          "20270101000000.000000Z#000000#fff#000000"
        }) {
      given = given.with(Csn.parse(text));
    }
    assertThat(new ChangeClock(now::get, 1, given).next())
        .hasToString("20280101000000.000006Z#000000#001#000000");
  }

  @Test
  void shouldRefuseTimesBeyondTheLastYear() {
    ChangeClock clock = clock(1, "99991231235959.999998Z#000000#002#000000");
    assertThat(clock.next()).hasToString("99991231235959.999999Z#000000#001#000000");
    assertThatThrownBy(clock::next).isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(clock::nextCsn).isInstanceOf(StoreUnavailableException.class);
    now.set(Instant.parse("+10000-01-01T00:00:00Z"));
    assertThatThrownBy(clock(1, "")::next).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void shouldGoOnAfterNumbersOfClientsThatAreNotFarAhead() {
    ChangeClock clock = clock(1, "");
    assertThat(clock.take(Csn.parse("20260201120000.123457Z#000000#002#000000"))).isFalse();
    assertThat(clock.next()).hasToString("20260131120000.123456Z#000000#001#000000");
    assertThat(clock.take(Csn.parse("20260201120000.123456Z#000000#002#000000"))).isTrue();
    assertThat(clock.take(Csn.parse("20250201120000.123456Z#000000#002#000000"))).isTrue();
    assertThat(clock.next()).hasToString("20260201120000.123457Z#000000#001#000000");
  }

  @Test
  void shouldRefuseServersThatCannotBeNumbered() {
    assertThatThrownBy(() -> clock(4096, "")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> clock(-1, "")).isInstanceOf(IllegalArgumentException.class);
  }
}
