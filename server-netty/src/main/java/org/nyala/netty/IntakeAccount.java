package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.netty.codec.MalformedRequest;
import org.nyala.netty.codec.RequestFootprint;

/**
 * The memory that a connection's requests take of its account from their first byte until its
 * session has them: the bytes as they come, and the decoded form, which is charged before it
 * exists.
 *
 * <p>Confined to the channel's event loop. Hot: requests of few bytes that came as a whole are not
 * charged.
 */
final class IntakeAccount {
  /** The message may be decoded after other operations of the connection have ended. */
  static final long WAITS = -1;

  /** The message is not decoded; {@link #refusal} returns the answer to send. */
  static final long REFUSED = -2;

  private final DirectoryServer directory;
  private final MemoryAccount memory;
  private @Nullable RequestFootprint footprint;
  private @Nullable MalformedRequest refusal;
  private long input;
  private boolean waits;
  private long waitsSinceNanos;

  /** Begins with no memory taken. */
  IntakeAccount(DirectoryServer directory, MemoryAccount memory) {
    this.directory = directory;
    this.memory = memory;
  }

  /** Charges for the memory that the waiting bytes take now. */
  void holdsInput(int bytes) {
    if (bytes != input) {
      long before = input;
      input = bytes;
      memory.change(before, bytes);
    }
  }

  /**
   * Passes the charge for a part of the input to who decodes it: its bytes stay until then, and so
   * does the copy that values are copied from.
   *
   * @return the bytes to give back
   */
  long pass(int bytes) {
    if (bytes > input) {
      holdsInput(bytes);
    }
    input -= bytes;
    return bytes;
  }

  /** Returns the bytes charged for waiting input. */
  long input() {
    return input;
  }

  /** Returns whether a message of this length could be held while it comes. */
  boolean couldHold(int length) {
    return length <= RequestFootprint.FREE_BYTES || memory.couldHold(2L * length);
  }

  /**
   * Takes the memory that a whole message needs when it is decoded.
   *
   * @param isBusy true if the connection has operations that give some back when they end
   * @return the number of bytes taken, or {@link #WAITS} or {@link #REFUSED}
   */
  long take(ByteBuf bytes, int length, boolean isBusy) {
    if (length <= RequestFootprint.FREE_BYTES) {
      return 0;
    }
    RequestFootprint measured = measured(bytes, length);
    if (!measured.isAnswerable() && length < DecodeTask.LARGE_BYTES) {
      // No answer is expected: a malformed message ends here, and the others are carried out at
      // once. They have no reason to be large.
      return 0;
    }
    int most = directory.limits().memory().requestElements();
    if (measured.elements() > most) {
      return refuse(measured, ResultCode.ADMIN_LIMIT_EXCEEDED, "more than " + most + " elements");
    }
    if (!memory.couldHold(measured.bytes())) {
      return refuse(measured, ResultCode.ADMIN_LIMIT_EXCEEDED, "the request takes too much memory");
    }
    if (memory.tryTake(measured.bytes())) {
      waits = false;
      return measured.bytes();
    }
    return isBusy && mayWait()
        ? WAITS
        : refuse(measured, ResultCode.BUSY, "the server is short of memory: try again later");
  }

  private RequestFootprint measured(ByteBuf bytes, int length) {
    RequestFootprint measured = footprint;
    if (measured == null) {
      measured = new RequestFootprint();
      footprint = measured;
    }
    measured.measure(
        bytes, bytes.readerIndex(), length, directory.limits().memory().requestElements());
    return measured;
  }

  /**
   * Returns whether the message may wait: as long as for a permit, counted from the first time that
   * there was no room.
   */
  private boolean mayWait() {
    long now = directory.nanoTime();
    if (!waits) {
      waits = true;
      waitsSinceNanos = now;
    }
    int seconds = directory.limits().sessions().admissionTimeoutSeconds();
    return seconds == 0 || now - waitsSinceNanos < TimeUnit.SECONDS.toNanos(seconds);
  }

  private long refuse(RequestFootprint measured, ResultCode code, String message) {
    waits = false;
    refusal =
        new MalformedRequest(
            measured.messageId(), measured.tag(), false, LdapResult.of(code, message));
    return REFUSED;
  }

  /** Returns the answer to the message that was refused last. */
  MalformedRequest refusal() {
    MalformedRequest known = refusal;
    if (known == null) {
      throw new IllegalStateException("nothing was refused");
    }
    refusal = null;
    return known;
  }

  /** Gives back the memory taken for a message. */
  void giveBack(long bytes) {
    if (bytes > 0) {
      memory.giveBack(bytes);
    }
  }
}
