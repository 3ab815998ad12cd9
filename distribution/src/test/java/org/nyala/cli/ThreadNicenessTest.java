package org.nyala.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ThreadNicenessTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  @Test
  void shouldStepBackWithThatThreadOnly() throws Exception {
    int own = niceness();
    int wanted = Math.min(ThreadNiceness.MAXIMUM, own + 3);
    assertThat(nicenessOf(ThreadNiceness.of(wanted, THREADS))).isEqualTo(wanted);
    assertThat(niceness()).isEqualTo(own);
  }

  @Test
  void shouldLeaveThreadsAloneWithoutNiceness() throws Exception {
    assertThat(nicenessOf(ThreadNiceness.of(0, THREADS))).isEqualTo(niceness());
  }

  private static int nicenessOf(ThreadFactory threads)
      throws InterruptedException, ExecutionException {
    CompletableFuture<Integer> seen = new CompletableFuture<>();
    threads.newThread(() -> seen.complete(niceness())).start();
    return seen.get();
  }

  /** The nice value of this thread: the 19th field of proc(5)'s stat, the 17th after the name. */
  private static int niceness() {
    try {
      String stat = Files.readString(Path.of("/proc/thread-self/stat"));
      return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
