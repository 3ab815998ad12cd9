package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.jmh.BackgroundLoad;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ChangedOptions;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.PatternReader;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;
import org.nyala.loadtest.workload.TextPattern;

class AllocationTest {
  private static final int OPERATIONS = 100_000;

  private final ResourceLeakDetector.Level leakDetection = ResourceLeakDetector.getLevel();

  /** As the launcher does: looking for leaks makes a stack trace of one buffer in 128. */
  @BeforeEach
  void measureAsLaunched() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void restore() {
    ResourceLeakDetector.setLevel(leakDetection);
  }

  /** The server has threads of its own; the virtual machine counts what that of the client took. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(300)
  void shouldAllocateNothingPerOperation(boolean isOfPatterns) throws Exception {
    try (FixedAnswers server = FixedAnswers.start()) {
      LoadSettings settings =
          new LoadSettings(
              JobKind.SEARCH,
              server.address(),
              4,
              1,
              TestDuration.of(100, 0),
              People.of(1),
              Account.ANONYMOUS,
              0,
              isOfPatterns ? patterns() : JobOptions.DEFAULT);
      BackgroundLoad load = BackgroundLoad.start(settings);
      try {
        long start = System.nanoTime();
        double bytes = bytesPerOperation(load);
        // The optimising compiler may take any time to compile it.
        while (bytes >= 1) {
          assertThat(System.nanoTime() - start)
              .as("%s bytes per operation", bytes)
              .isLessThan(TimeUnit.SECONDS.toNanos(120));
          bytes = bytesPerOperation(load);
        }
      } finally {
        load.end();
      }
    }
  }

  private static JobOptions patterns() {
    PatternReader reader = new PatternReader(null, List.of("rand(0,9)"));
    TextPattern value = reader.people("--values", "user.[0-0]");
    Patterns patterns =
        new Patterns(
            value,
            reader.read("--person-dn", "uid=[0-9]"),
            null,
            null,
            reader.read("--filter", "(&(uid=user.0)(!(cn={randstr(8)}{uuid}%d{pick(a=1,b=2)})))"),
            TextPattern.of("dc=example,dc=com"),
            TextPattern.of("sub"),
            List.of(),
            null,
            List.of());
    return ChangedOptions.of(JobOptions.DEFAULT, patterns);
  }

  private static double bytesPerOperation(BackgroundLoad load) throws InterruptedException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    AtomicLong thread = new AtomicLong();
    load.onLoop(() -> thread.set(Thread.currentThread().threadId()));
    long[] allocated = new long[1];
    long before = load.completed();
    load.onLoop(() -> allocated[0] = threads.getThreadAllocatedBytes(thread.get()));
    awaitMore(load, OPERATIONS);
    load.onLoop(() -> allocated[0] -= threads.getThreadAllocatedBytes(thread.get()));
    long operations = load.completed() - before;
    assertThat(operations).isGreaterThanOrEqualTo(OPERATIONS);
    return (double) -allocated[0] / operations;
  }

  /** Looks seldom: each look is a task, which is allocated. */
  private static void awaitMore(BackgroundLoad load, long operations) throws InterruptedException {
    long until = load.completed() + operations;
    CountDownLatch never = new CountDownLatch(1);
    while (load.completed() < until) {
      assertThat(never.await(100, TimeUnit.MILLISECONDS)).isFalse();
    }
  }
}
