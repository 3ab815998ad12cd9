package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.nyala.config.SchedulingBounds;

@EnabledOnOs(OS.LINUX)
class ThreadSchedulingTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  @Test
  void shouldStepBackWithThatThreadOnly() throws Exception {
    int own = niceness();
    int wanted = Math.min(SchedulingBounds.GREATEST_NICENESS, own + 3);
    assertThat(nicenessOf(ThreadScheduling.nice(wanted, THREADS))).isEqualTo(wanted);
    assertThat(niceness()).isEqualTo(own);
  }

  @Test
  void shouldLeaveThreadsAloneWithoutNiceness() throws Exception {
    assertThat(nicenessOf(ThreadScheduling.nice(0, THREADS))).isEqualTo(niceness());
  }

  @Test
  void shouldNotPushOthersAsideWithThatThreadOnly() throws Exception {
    int own = policy();
    assertThat(seenIn(ThreadScheduling.batch(THREADS), ThreadSchedulingTest::policy)).isEqualTo(3);
    assertThat(policy()).as("the policy of all other threads").isEqualTo(own);
  }

  @Test
  void shouldBeNiceAndNotPushOthersAsideAtOnce() throws Exception {
    int wanted = Math.min(SchedulingBounds.GREATEST_NICENESS, niceness() + 2);
    ThreadFactory threads = ThreadScheduling.nice(wanted, ThreadScheduling.batch(THREADS));

    assertThat(nicenessOf(threads)).isEqualTo(wanted);
    assertThat(seenIn(threads, ThreadSchedulingTest::policy)).isEqualTo(3);
  }

  private static int nicenessOf(ThreadFactory threads)
      throws InterruptedException, ExecutionException {
    return seenIn(threads, ThreadSchedulingTest::niceness);
  }

  private static int seenIn(ThreadFactory threads, Supplier<Integer> look)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Integer> seen = new CompletableFuture<>();
    threads.newThread(() -> seen.complete(look.get())).start();
    return seen.get();
  }

  private static int niceness() {
    return field(19);
  }

  /** Returns the scheduling policy: 0 is the default, 3 that of batches. */
  private static int policy() {
    return field(41);
  }

  /** Returns a field of this thread's stat, counted from 1 as in proc(5). */
  private static int field(int number) {
    try {
      String stat = Files.readString(Path.of("/proc/thread-self/stat"));
      String afterName = stat.substring(stat.lastIndexOf(')') + 2);
      return Integer.parseInt(afterName.split(" ", -1)[number - 3]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
