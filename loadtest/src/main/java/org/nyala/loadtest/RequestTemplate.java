package org.nyala.loadtest;

import io.netty.buffer.ByteBuf;
import java.util.function.Function;

/**
 * A request encoded once per number of digits, into which a message id and a user's number are
 * patched. Immutable. Hot: {@link #write}.
 */
final class RequestTemplate {
  private static final int MAX_DIGITS = 10;
  private static final int[] POWERS = {
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000
  };

  private final byte[][] messages = new byte[MAX_DIGITS + 1][];
  private final int[][] digitPlaces = new int[MAX_DIGITS + 1][];
  private final int[] messageIdPlaces = new int[MAX_DIGITS + 1];

  /**
   * Encodes the templates.
   *
   * @param encoder makes the whole message for the decimal digits of a user's number
   */
  RequestTemplate(Function<String, byte[]> encoder) {
    for (int digits = 1; digits <= MAX_DIGITS; digits++) {
      byte[] ones = encoder.apply("1".repeat(digits));
      byte[] twos = encoder.apply("2".repeat(digits));
      messages[digits] = ones;
      digitPlaces[digits] = differences(ones, twos);
      int lengthOctets = (ones[1] & 0x80) == 0 ? 1 : 1 + (ones[1] & 0x7f);
      messageIdPlaces[digits] = 1 + lengthOctets + 2;
    }
  }

  /** A request that has no user in it. */
  static RequestTemplate constant(byte[] message) {
    return new RequestTemplate(_ -> message);
  }

  private static int[] differences(byte[] ones, byte[] twos) {
    int[] places = new int[ones.length];
    int count = 0;
    for (int at = 0; at < ones.length; at++) {
      if (ones[at] != twos[at]) {
        places[count++] = at;
      }
    }
    return java.util.Arrays.copyOf(places, count);
  }

  /** Length in bytes of the longest message. */
  int maxLength() {
    return messages[MAX_DIGITS].length;
  }

  /** Writes the request for a user into the empty buffer {@code target}. */
  void write(ByteBuf target, int messageId, int user) {
    int digits = digitCount(user);
    byte[] message = messages[digits];
    target.writeBytes(message);
    target.setMedium(messageIdPlaces[digits], messageId);
    int[] places = digitPlaces[digits];
    int rest = user;
    int digitAt = digits;
    for (int i = places.length - 1; i >= 0; i--) {
      target.setByte(places[i], '0' + rest % 10);
      rest /= 10;
      if (--digitAt == 0) {
        digitAt = digits;
        rest = user;
      }
    }
  }

  private static int digitCount(int number) {
    int digits = 1;
    while (digits < MAX_DIGITS && number >= POWERS[digits]) {
      digits++;
    }
    return digits;
  }
}
