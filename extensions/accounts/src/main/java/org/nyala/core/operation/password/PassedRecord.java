package org.nyala.core.operation.password;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.LoginVerdict;

/**
 * The record of a login at another server with the same store, which has passed it on to the one
 * that makes the changes.
 *
 * <p>A form is a byte for the kind, the entry id in 8 bytes, and for {@link Kind#FAILURES} the
 * number of wrong passwords in 4 bytes, and the time until which a right one has cleared those
 * before: its seconds in 8 bytes, {@link Long#MIN_VALUE} for none, and its nanoseconds in 4. Times
 * of failures and logins are those of the server that records them.
 *
 * <p>Confined to one running operation, like all updates.
 */
public final class PassedRecord extends AccountChange {
  /** The most wrong passwords in one form: more than policies count. */
  static final int MOST_FAILURES = 1024;

  /** The end of the year 9999, beyond which generalized times have no form. */
  private static final long MOST_SECONDS = 253_402_300_800L;

  private static final int VERDICT_BYTES = 1 + 2 * Integer.BYTES;

  /** The kinds of records, each with its byte in the form. */
  enum Kind {
    FAILURES(0),
    GRACE(1),
    LOGIN(2);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    private static Kind of(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IllegalArgumentException("no kind of record: " + code);
    }
  }

  /** The decisions of the answer to a grace login, each at the place of its byte. */
  private static final List<LoginVerdict.Kind> VERDICTS =
      List.of(
          LoginVerdict.Kind.OPEN,
          LoginVerdict.Kind.MUST_CHANGE,
          LoginVerdict.Kind.GRACE,
          LoginVerdict.Kind.EXPIRED);

  private final Kind kind;
  private final int failures;
  private final @Nullable Instant cleared;
  private final CompletableFuture<byte[]> end = new CompletableFuture<>();
  private boolean isLocked;
  private LoginVerdict verdict = LoginVerdict.FREE;

  private PassedRecord(
      OperationContext directory,
      AttemptGate.Key account,
      Kind kind,
      int failures,
      @Nullable Instant cleared) {
    super(directory, account);
    this.kind = kind;
    this.failures = failures;
    this.cleared = cleared;
  }

  /** Returns the form of a grace login, or of a login to be noted. */
  static byte[] form(Kind kind, long entryId) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(kind.code).putLong(entryId).array();
  }

  /** Returns the form of what is due to be recorded. */
  static byte[] form(long entryId, AttemptGate.Due due) {
    Instant cleared = due.cleared();
    int failures =
        (int) due.failures().stream().filter(t -> cleared == null || t.isAfter(cleared)).count();
    ByteBuffer form = ByteBuffer.allocate(1 + 2 * Long.BYTES + 2 * Integer.BYTES);
    form.put(Kind.FAILURES.code).putLong(entryId);
    form.putInt(Math.min(failures, MOST_FAILURES));
    form.putLong(cleared == null ? Long.MIN_VALUE : cleared.getEpochSecond());
    return form.putInt(cleared == null ? 0 : cleared.getNano()).array();
  }

  /**
   * Records what another server has passed on.
   *
   * @return a stage with the answer: of wrong passwords a byte that is 1 if they have locked the
   *     account; of a grace login the decision, as {@link #verdict} reads it; else nothing
   */
  public static CompletionStage<byte[]> begin(
      OperationContext directory, Backend store, byte[] form) {
    try {
      PassedRecord record = read(directory, store, ByteBuffer.wrap(form));
      directory.runtime().writers().submit(store, record);
      return record.end;
    } catch (BufferUnderflowException e) {
      return CompletableFuture.failedFuture(new IllegalArgumentException("a form is too short", e));
    } catch (LdapOperationException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static PassedRecord read(OperationContext directory, Backend store, ByteBuffer in) {
    Kind kind = Kind.of(in.get());
    AttemptGate.Key account = new AttemptGate.Key(store, in.getLong());
    int failures = 0;
    Instant cleared = null;
    if (kind == Kind.FAILURES) {
      failures = in.getInt();
      long seconds = in.getLong();
      int nanos = in.getInt();
      boolean isTime =
          seconds >= Instant.EPOCH.getEpochSecond()
              && seconds < MOST_SECONDS
              && nanos >= 0
              && nanos < 1_000_000_000;
      if (failures < 0 || failures > MOST_FAILURES || seconds != Long.MIN_VALUE && !isTime) {
        throw new IllegalArgumentException("no record of wrong passwords");
      }
      cleared = isTime ? Instant.ofEpochSecond(seconds, nanos) : null;
    }
    if (in.hasRemaining()) {
      throw new IllegalArgumentException("a form is too long");
    }
    return new PassedRecord(directory, account, kind, failures, cleared);
  }

  @Override
  void change(Turn turn) {
    switch (kind) {
      case FAILURES -> {
        SortedSet<Instant> times =
            turn.standing().state().counted(turn.standing().policy(), cleared, turn.now());
        Instant last = turn.standing().state().latest();
        for (int i = 0; i < failures; i++) {
          Instant time = turn.now().truncatedTo(ChronoUnit.MICROS);
          last = time.isAfter(last) ? time : last.plus(1, ChronoUnit.MICROS);
          times.add(last);
        }
        isLocked = turn.fail(times, cleared) != null;
      }
      case GRACE -> verdict = turn.useGrace();
      case LOGIN -> turn.use(turn.now());
    }
  }

  @Override
  public void answer(LdapResult result) {
    if (kind == Kind.FAILURES) {
      AccountRuntime.of(directory).attempts().changed(account);
    }
    boolean isGone = kind == Kind.FAILURES && result.code() == ResultCode.NO_SUCH_OBJECT;
    if (result.code() != ResultCode.SUCCESS && !isGone) {
      end.completeExceptionally(new IllegalStateException(result.message()));
      return;
    }
    end.complete(
        switch (kind) {
          case FAILURES -> new byte[] {(byte) (isLocked ? 1 : 0)};
          case GRACE ->
              ByteBuffer.allocate(VERDICT_BYTES)
                  .put((byte) VERDICTS.indexOf(verdict.kind()))
                  .putInt(verdict.secondsLeft())
                  .putInt(verdict.graceLeft())
                  .array();
          case LOGIN -> new byte[0];
        });
  }

  /** Returns whether the answer to wrong passwords says that they have locked the account. */
  static boolean isLocked(byte[] answer) {
    return answer.length == 1 && answer[0] == 1;
  }

  /**
   * Returns the decision in the answer to a grace login.
   *
   * @throws IllegalArgumentException if there is none
   */
  static LoginVerdict verdict(byte[] answer) {
    int kind = answer.length == VERDICT_BYTES ? answer[0] : -1;
    if (kind < 0 || kind >= VERDICTS.size()) {
      throw new IllegalArgumentException("no decision about a login");
    }
    ByteBuffer in = ByteBuffer.wrap(answer, 1, VERDICT_BYTES - 1);
    return new LoginVerdict(VERDICTS.get(kind), in.getInt(), in.getInt());
  }
}
