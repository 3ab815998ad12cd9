package org.nyala.cluster.forward;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The leader's side of forwarding: carries out what other members pass on, each time in a session
 * of its own that speaks for the client there, by the ordinary path of requests.
 *
 * <p>Thread-safe. Its sessions share one event loop, the thread {@code nyala-cluster-forward}.
 */
public final class LeaderService implements AutoCloseable {
  /** The numbers of connections that have come over the wire are below it. */
  private static final int FIRST_NUMBER = 1 << 30;

  private final Group group;
  private final Supplier<OperationContext> directory;
  private final Semaphore room;
  private final AtomicInteger numbers = new AtomicInteger(FIRST_NUMBER);
  private final ExecutorService loop;
  private volatile @Nullable Thread loopThread;

  /**
   * Creates the service.
   *
   * @param directory returns the directory in force
   * @param mostAtOnce the requests that are carried out at a time; further ones are busy
   */
  public LeaderService(Group group, Supplier<OperationContext> directory, int mostAtOnce) {
    this.group = group;
    this.directory = directory;
    this.room = new Semaphore(mostAtOnce);
    this.loop =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread =
                  Thread.ofPlatform().daemon().name("nyala-cluster-forward").unstarted(work);
              loopThread = thread;
              return thread;
            });
  }

  /**
   * Carries out what a member has passed on.
   *
   * @param request the bytes of a {@link Forwarded}; valid until the stage is complete
   * @return the bytes of a {@link ForwardedAnswer}; fails if the request cannot be read, and then
   *     nothing was done
   */
  public CompletionStage<ByteBuffer> answer(ByteBuffer request) {
    if (group.leadingTerm() < 0) {
      return answered(ForwardedAnswer.NOT_LEADING);
    }
    if (!room.tryAcquire()) {
      return answered(refusal(ResultCode.BUSY, "too many changes of other members are under way"));
    }
    CompletableFuture<ForwardedAnswer> answer = new CompletableFuture<>();
    var _ = answer.whenComplete((told, e) -> room.release());
    try {
      Forwarded asked = Forwarded.read(request, directory.get().schema());
      int number =
          numbers.updateAndGet(last -> last == Integer.MAX_VALUE ? FIRST_NUMBER : last + 1);
      ForwardedSession session = new ForwardedSession(this, asked, number, answer);
      loop.execute(session::begin);
    } catch (InvalidBerException e) {
      answer.complete(
          refusal(
              ResultCode.UNAVAILABLE,
              "the leader cannot read what a member passes on, and has not made the change: "
                  + e.getMessage()));
    } catch (RejectedExecutionException e) {
      answer.complete(ForwardedAnswer.NOT_LEADING);
    }
    return answer.thenApply(ForwardedAnswer::write);
  }

  private static CompletionStage<ByteBuffer> answered(ForwardedAnswer answer) {
    return CompletableFuture.completedFuture(answer.write());
  }

  private ForwardedAnswer refusal(ResultCode code, String message) {
    return new ForwardedAnswer(
        ForwardedAnswer.Response.of(LdapResult.of(code, message)), group.reached(), false);
  }

  Group group() {
    return group;
  }

  OperationContext directory() {
    return directory.get();
  }

  /** Runs work on the event loop, at once if the caller is on it. */
  void execute(Runnable work) {
    if (Thread.currentThread() == loopThread) {
      work.run();
    } else {
      executeLater(work);
    }
  }

  /** Runs work on the event loop after its current work. */
  void executeLater(Runnable work) {
    loop.execute(work);
  }

  /** Returns whether the caller is on the event loop. */
  boolean isOnLoop() {
    return Thread.currentThread() == loopThread;
  }

  @Override
  public void close() {
    loop.shutdown();
  }
}
