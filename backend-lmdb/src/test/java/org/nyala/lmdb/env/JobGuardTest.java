package org.nyala.lmdb.env;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.lmdb.OtherProcess;

/** Jobs whose process is asked to end at one of their steps. */
@Timeout(300)
class JobGuardTest {
  private static final int ENDED = 7;

  @TempDir Path folder;

  private String fileAfter(String step) throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "unfinished");
    Process process = OtherProcess.start(JobGuardTest.class, step, file.toString());
    assertThat(new String(process.getInputStream().readAllBytes(), UTF_8)).isEmpty();
    assertThat(process.waitFor()).isEqualTo(ENDED);
    return Files.exists(file) ? Files.readString(file) : "none";
  }

  @Test
  void shouldDeleteWhatIsUnfinished() throws Exception {
    assertThat(fileAfter("work")).isEqualTo("none");
  }

  @Test
  void shouldEndNoProcessWhileAJobIsDecided() throws Exception {
    assertThat(fileAfter("decide")).isEqualTo("done");
  }

  @Test
  void shouldEndNoProcessBeforeTheLastStepOfAJob() throws Exception {
    assertThat(fileAfter("end")).isEqualTo("done");
  }

  /** The other process: asks itself to end at a step of its job. */
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[1]);
    AtomicBoolean isDone = new AtomicBoolean();
    JobGuard guard = JobGuard.begin(() -> deleteUnless(isDone, file));
    if (arguments[0].equals("work")) {
      // Waits for the deletion, and ends with it.
      System.exit(ENDED);
    }
    Thread exit = new Thread(() -> System.exit(ENDED));
    JobGuard.Decision<IOException> step =
        () -> {
          exit.start();
          Patience.eventually("the process ends", () -> state() == Thread.State.BLOCKED);
          Files.writeString(file, "done");
          isDone.set(true);
        };
    if (arguments[0].equals("end")) {
      guard.end(step);
    } else {
      guard.decide(step);
      guard.end(() -> {});
    }
    exit.join();
  }

  /** Returns the state of the thread that would delete the file; TERMINATED if there is none. */
  private static Thread.State state() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().equals("nyala-unfinished"))
        .map(Thread::getState)
        .findAny()
        .orElse(Thread.State.TERMINATED);
  }

  /** Deletes a file that is unfinished, as all deletions of jobs do. */
  private static void deleteUnless(AtomicBoolean isDone, Path file) {
    try {
      if (!isDone.get()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
