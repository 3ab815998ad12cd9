package org.nyala.core.quality;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.function.LongConsumer;
import org.nyala.core.bytes.ByteDigest;

/**
 * Reads text that says which passwords are breached, of any size, into a list: lines with a SHA-1
 * digest as 40 hexadecimal digits, then perhaps {@code :} and the number of breaches in which the
 * password was found; or lines with passwords.
 *
 * <p>Confined to one thread.
 */
public final class PasswordLines {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int DIGITS = 40;
  private static final int PREFIX_DIGITS = 16;
  private static final int MOST_DIGITS_OF_COUNT = 18;

  private final BreachedListBuilder list;
  private final boolean isPlain;
  private final long minimumCount;
  private final LongConsumer progress;
  private final MessageDigest sha1 = ByteDigest.of("SHA-1");
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private String name = "";
  private long lines;
  private long place;
  private boolean isEmpty = true;

  // The line of digits so far.
  private int digits;
  private long prefix;
  private boolean isCounted;
  private int countDigits;
  private long count;
  private boolean isOver;

  // The line with a password so far.
  private boolean endsWithReturn;

  /**
   * Creates a reader.
   *
   * @param isPlain true if lines are passwords
   * @param minimumCount the breaches from which on a digest is taken; one without a number always
   *     is
   * @param progress learns now and then how many lines were read
   */
  public PasswordLines(
      BreachedListBuilder list, boolean isPlain, long minimumCount, LongConsumer progress) {
    this.list = list;
    this.isPlain = isPlain;
    this.minimumCount = minimumCount;
    this.progress = progress;
  }

  /**
   * Reads all lines.
   *
   * @param source the input, in messages, which never contain a line
   */
  public void read(InputStream input, String source) throws IOException {
    name = source;
    place = 1;
    for (int read = input.read(chunk); read >= 0; read = input.read(chunk)) {
      if (isPlain) {
        takePasswords(read);
      } else {
        takeDigests(read);
      }
      progress.accept(lines);
    }
    endLine();
  }

  /** Returns the number of lines so far, without empty ones. */
  public long lines() {
    return lines;
  }

  private void takePasswords(int length) throws IOException {
    int start = 0;
    for (int i = 0; i < length; i++) {
      if (chunk[i] == '\n') {
        takePart(start, i);
        endLine();
        start = i + 1;
      }
    }
    takePart(start, length);
  }

  /** Takes a part of a line, without a carriage return at its end, which may belong to that. */
  private void takePart(int start, int end) {
    if (start == end) {
      return;
    }
    if (endsWithReturn) {
      sha1.update((byte) '\r');
      isEmpty = false;
    }
    endsWithReturn = chunk[end - 1] == '\r';
    int length = end - start - (endsWithReturn ? 1 : 0);
    sha1.update(chunk, start, length);
    isEmpty &= length == 0;
  }

  private void takeDigests(int length) throws IOException {
    for (int i = 0; i < length; i++) {
      byte each = chunk[i];
      if (each == '\n') {
        endLine();
      } else if (each == '\r' || each == ' ') {
        isOver = !isEmpty;
      } else {
        isEmpty = false;
        take(each);
      }
    }
  }

  private void take(byte each) throws IOException {
    int digit = Character.digit(each, 16);
    if (isOver) {
      throw malformed();
    }
    if (digits < DIGITS) {
      if (digit < 0) {
        throw malformed();
      }
      prefix = digits < PREFIX_DIGITS ? prefix << 4 | digit : prefix;
      digits++;
    } else if (!isCounted) {
      if (each != ':') {
        throw malformed();
      }
      isCounted = true;
    } else {
      if (digit < 0 || digit > 9 || countDigits == MOST_DIGITS_OF_COUNT) {
        throw malformed();
      }
      count = count * 10 + digit;
      countDigits++;
    }
  }

  private IOException malformed() {
    return new IOException(
        name
            + ", line "
            + place
            + ": expected the SHA-1 of a password as "
            + DIGITS
            + " hexadecimal digits, then perhaps ':' and a number");
  }

  private void endLine() throws IOException {
    if (!isEmpty) {
      if (isPlain) {
        list.add(ByteBuffer.wrap(sha1.digest()).getLong());
      } else {
        endDigest();
      }
      lines++;
    }
    place++;
    isEmpty = true;
    endsWithReturn = false;
  }

  private void endDigest() throws IOException {
    if (digits < DIGITS || isCounted && countDigits == 0) {
      throw malformed();
    }
    if (!isCounted || count >= minimumCount) {
      list.add(prefix);
    }
    digits = 0;
    prefix = 0;
    isCounted = false;
    countDigits = 0;
    count = 0;
    isOver = false;
  }
}
