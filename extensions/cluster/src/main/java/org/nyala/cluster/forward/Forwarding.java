package org.nyala.cluster.forward;

import static org.nyala.core.message.ResultCode.ADMIN_LIMIT_EXCEEDED;
import static org.nyala.core.message.ResultCode.BUSY;
import static org.nyala.core.message.ResultCode.CANCELED;
import static org.nyala.core.message.ResultCode.UNAVAILABLE;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;

/**
 * The follower's side of forwarding: passes on what clients ask of the leader, and answers them
 * once this member has what the leader has made of it.
 *
 * <p>Thread-safe. What may have been made is never sent twice.
 */
public final class Forwarding implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Forwarding.class.getName());

  /** The pause before a leader is looked for again: an election takes some hundred milliseconds. */
  private static final long AGAIN_MILLIS = 20;

  /** The time in which requests without an answer are gathered for the log. */
  private static final long TOLD_MILLIS = 1_000;

  /** The time after {@link Settings#answer} in which the leader tells its own lack of an answer. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** The copies of a request while it is written. */
  private static final int COPIES = 4;

  /** The room for the client in what is passed on; names are 64 KiB at most. */
  private static final int CLIENT_BYTES = 256 << 10;

  private final Group group;
  private final Settings settings;
  private final ScheduledExecutorService timer;
  private final Semaphore room;
  private final LongAdder passedOn = new LongAdder();

  /** Those that wait for a leader. */
  private final Set<Passage> waiting = ConcurrentHashMap.newKeySet();

  /** Those that were not answered and are not logged yet. */
  private final LongAdder unanswered = new LongAdder();

  private final AtomicBoolean isTelling = new AtomicBoolean();

  /**
   * The bounds of forwarding. Immutable.
   *
   * @param mostAtOnce the requests under way at a time; further ones are busy
   * @param mostBytes the size of what is passed on at once
   * @param answer the time for which a leader is looked for, and that which a leader has
   */
  public record Settings(int mostAtOnce, int mostBytes, Duration answer) {}

  /**
   * Creates the forwarding of a member.
   *
   * @param timer waits between attempts
   */
  public Forwarding(Group group, Settings settings, ScheduledExecutorService timer) {
    this.group = group;
    this.settings = settings;
    this.timer = timer;
    this.room = new Semaphore(settings.mostAtOnce());
  }

  Group group() {
    return group;
  }

  Duration answerTime() {
    return settings.answer();
  }

  /** Returns the number of requests that were passed on since the start. */
  public long passedOn() {
    return passedOn.sum();
  }

  /** Returns the number of requests that are under way to the leader, or back. */
  public int underWay() {
    return settings.mostAtOnce() - room.availablePermits();
  }

  /**
   * Passes on the request of an operation, or the transaction that it ends; the operation has
   * parked then, and ends with the leader's answer.
   *
   * @param operation of the calling thread
   * @param identity the identity that it is for
   * @param requests the request; or all of a transaction, and last the one that ends it
   * @throws LdapOperationException busy, or adminLimitExceeded for too large a request; nothing was
   *     sent then
   */
  void begin(
      Operation operation, BoundIdentity identity, boolean isTransaction, List<Request> requests)
      throws LdapOperationException {
    Passage passage = open(operation, identity, isTransaction, requests);
    boolean isHandedOver = false;
    try {
      operation.handsOver();
      isHandedOver = true;
    } finally {
      if (!isHandedOver) {
        passage.giveBack();
      }
    }
    passage.go();
  }

  /** Passes on the request of an operation that has parked before. Any thread. */
  void goOn(Operation operation) {
    try {
      open(operation, operation.identity(), false, List.of(operation.request())).go();
    } catch (LdapOperationException e) {
      operation.finish(e.result());
    } catch (RuntimeException e) {
      // Whoever calls has nobody to tell it, and the operation would wait for ever.
      LOG.log(System.Logger.Level.ERROR, "a change cannot be passed on", e);
      operation.finish(Outcomes.notLeading());
    }
  }

  private Passage open(
      Operation operation, BoundIdentity identity, boolean isTransaction, List<Request> requests)
      throws LdapOperationException {
    String obstacle = group.obstacle();
    if (obstacle != null) {
      throw new LdapOperationException(UNAVAILABLE, obstacle + ": the change was not made");
    }
    long bytes = CLIENT_BYTES;
    for (Request each : requests) {
      bytes += RequestForm.mostBytes(each);
    }
    if (bytes > settings.mostBytes()) {
      throw new LdapOperationException(
          ADMIN_LIMIT_EXCEEDED,
          "the request is too large to be passed on to the leader of the cluster, which takes "
              + settings.mostBytes()
              + " bytes");
    }
    if (!room.tryAcquire()) {
      throw new LdapOperationException(
          BUSY, "too many changes are on their way to the leader of the cluster");
    }
    long held = COPIES * (bytes - CLIENT_BYTES);
    MemoryAccount memory = operation.session().memory();
    if (!memory.tryTake(held)) {
      room.release();
      throw new LdapOperationException(
          memory.couldHold(held) ? BUSY : ADMIN_LIMIT_EXCEEDED,
          "there is no memory to pass the request on to the leader of the cluster");
    }
    boolean isOpen = false;
    try {
      ForwardedClient client = ForwardedClient.of(operation, group.self(), identity);
      ByteBuffer form = Forwarded.of(client, isTransaction, requests).write();
      Passage passage = new Passage(operation, form, held);
      isOpen = true;
      passedOn.increment();
      return passage;
    } finally {
      if (!isOpen) {
        giveBack(memory, held);
      }
    }
  }

  private void giveBack(MemoryAccount memory, long held) {
    memory.giveBack(held);
    room.release();
  }

  /** Counts a request that the leader has not answered; all of a second are one line of the log. */
  private void unanswered(@Nullable Throwable failure) {
    unanswered.increment();
    if (isTelling.compareAndSet(false, true)) {
      try {
        var _ = timer.schedule(() -> tell(failure), TOLD_MILLIS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        tell(failure);
      }
    }
  }

  private void tell(@Nullable Throwable failure) {
    isTelling.set(false);
    long count = unanswered.sumThenReset();
    if (count == 0) {
      return; // they were told together with earlier ones
    }
    Throwable cause = failure;
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "requests that the leader has not answered: {0} ({1}); it is not known if their changes are"
            + " made",
        count,
        cause == null ? "no reason" : cause.getMessage());
  }

  /** Ends what waits for a leader; the timer must be stopped. */
  @Override
  public void close() {
    List.copyOf(waiting).forEach(Passage::stop);
  }

  /** The way of one request to the leader and back. Thread-safe. */
  private final class Passage {
    private final Operation operation;
    private final ByteBuffer form;
    private final long held;
    private final long untilNanos = System.nanoTime() + settings.answer().toNanos();
    private final AtomicBoolean isOver = new AtomicBoolean();

    Passage(Operation operation, ByteBuffer form, long held) {
      this.operation = operation;
      this.form = form;
      this.held = held;
    }

    /** Sends it to the leader, if there is one. */
    void go() {
      UUID leader = group.leader();
      if (leader == null) {
        again();
        return;
      }
      CompletableFuture<ByteBuffer> answer;
      try {
        answer =
            group
                .ask(leader, form.duplicate(), settings.answer().plus(GRACE))
                .toCompletableFuture();
      } catch (RuntimeException e) {
        unanswered(e);
        unknown();
        return;
      }
      var _ = answer.whenComplete(this::learn);
    }

    private void learn(@Nullable ByteBuffer answer, @Nullable Throwable failure) {
      if (failure != null && Outcomes.isUnsent(failure)) {
        again();
        return;
      }
      if (answer == null) {
        unanswered(failure);
        unknown();
        return;
      }
      try {
        ForwardedAnswer told = ForwardedAnswer.read(answer);
        ForwardedAnswer.Response response = told.response();
        if (response == null) {
          again();
        } else {
          arrived(told, response);
        }
      } catch (InvalidBerException | RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "the answer of the leader cannot be read", e);
        unknown();
      }
    }

    /** Tries again after a moment: surely nothing was made. */
    private void again() {
      if (operation.isAbandoned()) {
        end(LdapResult.of(CANCELED));
      } else if (System.nanoTime() - untilNanos >= 0) {
        end(
            LdapResult.of(
                UNAVAILABLE,
                "no member has led the cluster for "
                    + settings.answer().toSeconds()
                    + " seconds: the change was not made"));
      } else {
        waiting.add(this);
        try {
          var _ = timer.schedule(this::resume, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
          stop();
        }
      }
    }

    private void resume() {
      if (waiting.remove(this)) {
        go();
      }
    }

    /** Ends a passage that waits for a leader. */
    void stop() {
      if (waiting.remove(this)) {
        end(LdapResult.of(UNAVAILABLE, "the server stops: the change was not made"));
      }
    }

    private void unknown() {
      end(
          LdapResult.of(
              UNAVAILABLE,
              "the leader of the cluster has not answered: it is not known if the change is made"));
    }

    /** Waits until this member has what the leader had. */
    private void arrived(ForwardedAnswer told, ForwardedAnswer.Response response) {
      var _ =
          group
              .reaching(told.at())
              .toCompletableFuture()
              .copy()
              .orTimeout(settings.answer().toMillis(), TimeUnit.MILLISECONDS)
              .whenComplete(
                  (reached, e) -> {
                    if (e == null) {
                      answer(told, response);
                    } else {
                      late(response.result().code());
                    }
                  });
    }

    private void late(ResultCode made) {
      end(
          LdapResult.of(
              UNAVAILABLE,
              made == ResultCode.SUCCESS
                  ? "the change is made, and this member of the cluster does not show it yet"
                  : "the leader of the cluster has refused the change, and this member does not"
                      + " have what the leader has yet: the change was not made"));
    }

    private void answer(ForwardedAnswer told, ForwardedAnswer.Response response) {
      if (told.hasNewPassword()) {
        operation.passwordChanged();
      }
      if (response.isExtended()) {
        end(
            response.result(),
            () ->
                operation
                    .sink()
                    .extendedResult(response.result(), response.oid(), response.value()));
      } else {
        end(response.result());
      }
    }

    private void end(LdapResult result) {
      end(result, () -> operation.sink().result(operation.request(), result));
    }

    private void end(LdapResult result, Runnable answer) {
      if (isOver.compareAndSet(false, true)) {
        giveBack();
        operation.finish(result, answer);
      }
    }

    /** Gives back what it has taken. */
    void giveBack() {
      Forwarding.this.giveBack(operation.session().memory(), held);
    }
  }
}
