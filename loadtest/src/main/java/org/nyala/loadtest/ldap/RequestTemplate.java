package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A request encoded once per number of digits, into which a message id, a user's number and a stamp
 * are patched. Immutable. Hot: {@link #write}.
 */
public final class RequestTemplate implements Request {
  /** The number of decimal digits of a stamp, leading zeros included. */
  static final int STAMP_DIGITS = 12;

  /** The upper bound of stamps, exclusive. */
  public static final long STAMP_LIMIT = 1_000_000_000_000L;

  /** The greatest number of digits of a number. */
  public static final int MAX_DIGITS = 10;

  private static final int[] POWERS = {
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000
  };

  private final byte[][] messages = new byte[MAX_DIGITS + 1][];
  private final int[][] digitPlaces = new int[MAX_DIGITS + 1][];
  private final int[][] stampPlaces = new int[MAX_DIGITS + 1][];
  private final int[] messageIdPlaces = new int[MAX_DIGITS + 1];
  private final int width;

  /**
   * Encodes the templates.
   *
   * @param encoder makes the whole message for the decimal digits of a user's number and those of a
   *     stamp
   */
  public RequestTemplate(BiFunction<String, String, byte[]> encoder) {
    this(0, encoder);
  }

  /**
   * Encodes the templates.
   *
   * @param width the number of digits of every number, leading zeros included; 0: as many as it has
   * @param encoder as above
   */
  public RequestTemplate(int width, BiFunction<String, String, byte[]> encoder) {
    this.width = width;
    String zeros = "0".repeat(STAMP_DIGITS);
    for (int digits = 1; digits <= MAX_DIGITS; digits++) {
      String ones = "1".repeat(digits);
      byte[] message = encoder.apply(ones, zeros);
      messages[digits] = message;
      digitPlaces[digits] = differences(message, encoder.apply("2".repeat(digits), zeros));
      stampPlaces[digits] = differences(message, encoder.apply(ones, "9".repeat(STAMP_DIGITS)));
      messageIdPlaces[digits] = Pdu.messageIdPlace(message);
    }
  }

  /** Encodes the templates of a request without a stamp. */
  public static RequestTemplate ofUser(Function<String, byte[]> encoder) {
    return new RequestTemplate((user, _) -> encoder.apply(user));
  }

  /** Encodes a request without a user. */
  public static RequestTemplate constant(byte[] message) {
    return new RequestTemplate((_, _) -> message);
  }

  private static int[] differences(byte[] ones, byte[] twos) {
    int[] places = new int[ones.length];
    int count = 0;
    for (int at = 0; at < ones.length; at++) {
      if (ones[at] != twos[at]) {
        places[count++] = at;
      }
    }
    return Arrays.copyOf(places, count);
  }

  @Override
  public void write(ByteBuf target, int messageId, int number, long stamp, long operation) {
    int digits = width == 0 ? digitCount(number) : width;
    int start = target.writerIndex();
    target.writeBytes(messages[digits]);
    target.setMedium(start + messageIdPlaces[digits], messageId);
    patch(target, start, digitPlaces[digits], number, digits);
    patch(target, start, stampPlaces[digits], stamp, STAMP_DIGITS);
  }

  /** Writes a number's digits, as often as there are places for them. */
  private static void patch(ByteBuf target, int start, int[] places, long number, int digits) {
    long rest = number;
    int digitAt = digits;
    for (int i = places.length - 1; i >= 0; i--) {
      target.setByte(start + places[i], '0' + (int) (rest % 10));
      rest /= 10;
      if (--digitAt == 0) {
        digitAt = digits;
        rest = number;
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
