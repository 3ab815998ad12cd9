package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

class LiveProgressTest {
  private static final LoadSettings SETTINGS =
      new LoadSettings(
          JobKind.SEARCH,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
          1,
          1,
          TestDuration.of(20, 2),
          People.of(1),
          Account.ANONYMOUS,
          0,
          JobOptions.DEFAULT);
  private static final Histogram NONE = new Histogram(1);

  private final StringWriter out = new StringWriter();

  private void show(LiveProgress progress, int second, long errors) {
    IntervalSample.Times times = new IntervalSample.Times(120.4, 1534, 2000, 30_500);
    IntervalSample sample =
        new IntervalSample(
            second,
            1,
            second < 0,
            1000,
            1000,
            errors == 0 ? Map.of() : Map.of("timedOut", errors),
            second < 0 ? IntervalSample.Times.NONE : times,
            times,
            -1,
            -1,
            -1,
            Disturbance.NONE,
            GcPauses.NONE,
            Double.NaN);
    progress.interval(SETTINGS, sample, NONE, NONE);
  }

  @Test
  void shouldWriteOneLineOverAndOverOnATerminal() {
    LiveProgress progress = new LiveProgress(new PrintWriter(out, true), true, 1);
    show(progress, -1, 0);
    show(progress, 0, 3);
    progress.finish();

    String[] states = out.toString().split("\r", -1);
    assertThat(states[1].strip()).isEqualTo("warm-up: search 1,000/s");
    assertThat(states[2].strip())
        .isEqualTo("1 of 20 s: search 1,000/s, p50 120 µs, p99 1.53 ms, max 30.5 ms, 3 errors");
    assertThat(states[3]).isBlank();
    assertThat(out.toString()).doesNotContain("\n").endsWith("\r");
  }

  @Test
  void shouldWriteALineNowAndThenElsewhere() {
    LiveProgress progress = new LiveProgress(new PrintWriter(out, true), false, 1);
    for (int second = -2; second < 10; second++) {
      show(progress, second, 0);
    }
    progress.finish();

    assertThat(out.toString().lines()).hasSize(2).last().asString().startsWith("8 of 20 s:");
  }

  @Test
  void shouldShowJobsThatRunBesideEachOtherInOneLine() {
    LiveProgress progress = new LiveProgress(new PrintWriter(out, true), true, 2);
    show(progress, 0, 0);
    assertThat(out.toString()).isEmpty();
    show(progress, 0, 0);

    assertThat(out.toString()).contains("1 of 20 s: search").contains("; search 1,000/s");
  }
}
