package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.LoadRate;

/**
 * Tests figures against arithmetic: with a server that has a known fault they follow from the
 * schedule and from the times at which the server has answered.
 */
@Timeout(300)
class ArithmeticTest {
  private static final double PERCENT = 2;
  private static final long SEED = new Random().nextLong();

  private final CountDownLatch never = new CountDownLatch(1);

  /** The times of requests and answers, by the number of the request, in nanoseconds. */
  private static final class Times {
    final AtomicInteger requests = new AtomicInteger();
    final AtomicLongArray asked = new AtomicLongArray(10_000);
    final AtomicLongArray answered = new AtomicLongArray(10_000);

    void answer(OutputStream out, int number, byte[] answer) throws Exception {
      answered.set(number, System.nanoTime());
      out.write(answer);
    }

    /** Returns the mean time from the moments of the schedule to the answers. */
    double meanOf(double rate) {
      return delays(rate).average().orElseThrow();
    }

    /** Returns the times from the moments of the schedule to the answers, in nanoseconds. */
    DoubleStream delays(double rate) {
      int count = requests.get();
      double gap = 1e9 / rate;
      // Whatever delays requests delays none of them to before its time.
      long start =
          IntStream.range(0, count)
              .mapToLong(i -> asked.get(i) - (long) (i * gap))
              .min()
              .orElseThrow();
      return IntStream.range(0, count).mapToDouble(i -> answered.get(i) - start - i * gap);
    }
  }

  private void pause(long millis) throws InterruptedException {
    assertThat(never.await(millis, TimeUnit.MILLISECONDS)).isFalse();
  }

  /**
   * Of 4 s at a constant rate the server is silent for 2: they are uniformly late, 1 s on average.
   */
  @Test
  void shouldAgreeAboutAStall() throws Exception {
    Times times = new Times();
    CountDownLatch stall = new CountDownLatch(1);
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          times.requests.incrementAndGet();
          times.asked.set(number, System.nanoTime());
          if (number >= 100 && number < 104) {
            if (number == 100) {
              pause(2000);
              stall.countDown();
            }
            stall.await();
          }
          times.answer(out, number, StubServer.right(request));
        };

    LoadReport report = StubServer.run(behaviour, 4, 4, 0, new LoadRate(200, 1, 60, 1));

    assertThat(report.errors()).isEmpty();
    assertThat((double) report.operations()).isCloseTo(800, withinPercentage(PERCENT));
    double mean = report.corrected().getMean();
    double expected = times.meanOf(200);
    assertThat(mean)
        .isBetween(
            expected * (1 - PERCENT / 100), expected * (1 + PERCENT / 100) + ownNanos(report));
    // Half of the operations waited for one second on average.
    assertThat(mean).isBetween(0.45e9, 0.75e9);
    assertThat(report.uncorrected().getMean()).isLessThan(mean / 10);
  }

  /** Each of a twentieth of the answers comes late. */
  @Test
  void shouldAgreeAboutAShareOfSlowAnswers() throws Exception {
    Times times = new Times();
    AtomicInteger slow = new AtomicInteger();
    Random random = new Random(SEED);
    boolean[] isSlow = new boolean[10_000];
    for (int i = 0; i < isSlow.length; i++) {
      isSlow[i] = random.nextInt(20) == 0;
    }
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          times.requests.incrementAndGet();
          times.asked.set(number, System.nanoTime());
          if (isSlow[number]) {
            slow.incrementAndGet();
            pause(1000);
          }
          times.answer(out, number, StubServer.right(request));
        };

    LoadReport report = StubServer.run(behaviour, 64, 4, 0, new LoadRate(200, 1, 60, 1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(times.requests.get());
    long late = TimeUnit.MILLISECONDS.toNanos(995);
    long count = report.corrected().getCountBetweenValues(late, report.corrected().getMaxValue());
    // A busy machine makes others late, too: by the server's clock, and by what the report admits.
    double own = ownNanos(report);
    long most = times.delays(200).filter(delay -> delay + own >= late).count();
    assertThat(count).as("seed %d", SEED).isBetween((long) slow.get(), most);
    double mean = meanInServer(times);
    assertThat(report.uncorrected().getMean())
        .isBetween(mean * (1 - PERCENT / 100), mean * (1 + PERCENT / 100) + ownNanos(report));
  }

  /** Returns the delays of a busy machine that the report admits to be the tester's own. */
  private static double ownNanos(LoadReport report) {
    Disturbance worst =
        report.intervals().stream()
            .map(IntervalSample::disturbance)
            .reduce(Disturbance.NONE, Disturbance::worse);
    return 1e6 * (worst.lagMillis() + worst.stallMillis());
  }

  private static double meanInServer(Times times) {
    int count = times.requests.get();
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += times.answered.get(i) - times.asked.get(i);
    }
    return sum / count;
  }

  /** A part of the requests is never answered. */
  @Test
  void shouldAgreeAboutDroppedAnswers() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    AtomicInteger dropped = new AtomicInteger();
    Random random = new Random(SEED);
    boolean[] isDropped = new boolean[10_000];
    for (int i = 0; i < isDropped.length; i++) {
      isDropped[i] = random.nextInt(25) == 0;
    }
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          requests.incrementAndGet();
          if (isDropped[number]) {
            dropped.incrementAndGet();
          } else {
            out.write(StubServer.right(request));
          }
        };

    LoadReport report = StubServer.run(behaviour, 64, 4, 0, new LoadRate(200, 1, 1, 1));

    assertThat((double) requests.get()).isCloseTo(800, withinPercentage(PERCENT));
    // The last ones have no time left to be late in.
    long missing = report.timeOuts() + report.errors().getOrDefault("unanswered", 0L);
    assertThat(missing).as("seed %d", SEED).isEqualTo(dropped.get());
    assertThat(report.operations()).isEqualTo(requests.get() - dropped.get());
  }
}
