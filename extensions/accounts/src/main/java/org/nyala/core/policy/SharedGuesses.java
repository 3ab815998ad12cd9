package org.nyala.core.policy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.SharedAccounts;

/**
 * The wrong passwords that were seen here and that other servers are to be told, as far as they fit
 * into one form: those beyond it were counted here alone.
 *
 * <p>A form is a list of items, each one byte that is 1 for a source that the name has bound from
 * and else 0, the length of the source in two bytes, the source, and the name likewise.
 *
 * <p>Thread-safe. Costs nothing until it is first taken.
 */
final class SharedGuesses {
  /** The most bytes of a source or name; longer ones are not told. */
  private static final int MOST_PART_BYTES = 1024;

  private static final int HEAD_BYTES = 1 + 2 * Short.BYTES;

  private final ByteArrayOutputStream waiting = new ByteArrayOutputStream(0);
  private volatile boolean isTaken;

  /** Receives one guess. */
  @FunctionalInterface
  interface Receiver {
    void guessed(byte[] source, byte[] name, boolean isKnown);
  }

  /** Notes a guess, unless nobody asks for them, or there is no room. */
  void note(byte[] source, byte[] name, boolean isKnown) {
    if (!isTaken || source.length > MOST_PART_BYTES || name.length > MOST_PART_BYTES) {
      return;
    }
    ByteBuffer item = ByteBuffer.allocate(HEAD_BYTES + source.length + name.length);
    item.put((byte) (isKnown ? 1 : 0));
    item.putShort((short) source.length).put(source);
    item.putShort((short) name.length).put(name);
    synchronized (waiting) {
      if (waiting.size() + item.capacity() <= SharedAccounts.MOST_BYTES) {
        waiting.writeBytes(item.array());
      }
    }
  }

  /** Returns the guesses since the last call; null if there were none. */
  byte @Nullable [] take() {
    isTaken = true;
    synchronized (waiting) {
      if (waiting.size() == 0) {
        return null;
      }
      byte[] taken = waiting.toByteArray();
      waiting.reset();
      return taken;
    }
  }

  /**
   * Reads a form.
   *
   * @throws IllegalArgumentException if it is none; the items before the fault are received
   */
  static void read(byte[] form, Receiver receiver) {
    if (form.length > SharedAccounts.MOST_BYTES) {
      throw malformed();
    }
    ByteBuffer in = ByteBuffer.wrap(form);
    while (in.hasRemaining()) {
      int known = in.get();
      if (known < 0 || known > 1) {
        throw malformed();
      }
      byte[] source = part(in);
      receiver.guessed(source, part(in), known == 1);
    }
  }

  private static byte[] part(ByteBuffer in) {
    int length = in.remaining() < Short.BYTES ? -1 : in.getShort();
    if (length < 0 || length > MOST_PART_BYTES || length > in.remaining()) {
      throw malformed();
    }
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException("no list of wrong passwords");
  }
}
