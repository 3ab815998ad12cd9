package org.nyala.cli;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.nyala.error.CommandException;
import org.nyala.server.IndexChange;
import org.nyala.service.RequestFolder;
import org.nyala.service.RunDirectory;

/**
 * A change of indexes that a running server carries out, as the command sees it that asks for it.
 *
 * <p>Confined to one thread. Nothing is lost when the command ends early: the server goes on.
 */
final class ServedIndexChange {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Looking whether the server lives costs more than looking for its answer. */
  private static final int POLLS_PER_LOOK = 20;

  private final RunDirectory run;
  private final RequestFolder folder;
  private final ProgressLine progress;
  private final LongSupplier nanoClock;

  ServedIndexChange(RunDirectory run, ProgressLine progress, LongSupplier nanoClock) {
    this.run = run;
    this.folder = run.requests();
    this.progress = progress;
    this.nanoClock = nanoClock;
  }

  /**
   * Asks the server that runs and waits for the end.
   *
   * @param subject the attribute and the kinds of index, as the user wrote them
   * @return what the server says at last; nothing when it has ended before
   * @throws IOException also where another user's server runs
   */
  Optional<RequestFolder.Answer> ask(
      RunDirectory.Holder holder, IndexChange.Action action, String subject) throws IOException {
    Optional<String> server = folder.server();
    if (!holder.isReady() || server.isEmpty()) {
      throw CommandException.failed(
          "the server (pid " + holder.pid() + ") is starting or stopping: try again");
    }
    String id = folder.ask(server.get(), action.name().toLowerCase(Locale.ROOT), subject);
    try {
      return await(id, server.get(), holder.pid());
    } finally {
      progress.finish();
    }
  }

  private Optional<RequestFolder.Answer> await(String id, String server, long pid)
      throws IOException {
    long startNanos = nanoClock.getAsLong();
    for (int poll = 1; ; poll++) {
      // In this order: the server may have ended right after it has answered.
      boolean isGone = poll % POLLS_PER_LOOK == 0 && !isThere(server);
      Optional<RequestFolder.Answer> answer = folder.answerTo(id);
      if (answer.isPresent() && answer.get().hasEnded()) {
        folder.deleteAnswer(id);
        return answer;
      }
      if (isGone) {
        folder.deleteRequest(id);
        return Optional.empty();
      }
      String line =
          answer.map(RequestFolder.Answer::line).orElse("waiting for the server, pid " + pid);
      progress.show(() -> line, nanoClock.getAsLong() - startNanos);
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean isThere(String server) throws IOException {
    return run.holder().isPresent() && folder.server().equals(Optional.of(server));
  }
}
