package org.nyala.core.ber;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.nyala.core.Seeds;
import org.nyala.core.message.LdapOperationException;

/** Feeds a decoder invalid input: truncated, mutated and random values. */
public final class DecoderFuzz {
  private static final long SEED = Seeds.seed();
  private static final int MUTATIONS = 2_000;
  private static final int RANDOM_VALUES = 500;

  /** Decodes a value; may reject it with the two exceptions for clients, and no other. */
  @FunctionalInterface
  public interface Decoder {
    /** Decodes the whole value. */
    void decode(byte[] value) throws InvalidBerException, LdapOperationException;
  }

  private DecoderFuzz() {}

  /** Checks a valid value: its prefixes and extensions are invalid, and no mutation does harm. */
  public static void check(byte[] good, Decoder decoder) {
    if (!accepts(good, decoder)) {
      throw new AssertionError("refused: " + hex(good));
    }
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      if (accepts(cut, decoder)) {
        throw new AssertionError("accepted, cut to " + length + " of " + hex(good));
      }
    }
    if (accepts(Arrays.copyOf(good, good.length + 1), decoder)) {
      throw new AssertionError("accepted with a byte too many: " + hex(good));
    }
    harmless(good, decoder);
  }

  /** Checks a value whose prefixes and extensions may be valid, too: no mutation does harm. */
  public static void harmless(byte[] good, Decoder decoder) {
    Random random = new Random(SEED);
    for (int i = 0; i < MUTATIONS; i++) {
      accepts(mutate(good, random), decoder);
    }
    for (int i = 0; i < RANDOM_VALUES; i++) {
      byte[] value = new byte[random.nextInt(40)];
      random.nextBytes(value);
      accepts(value, decoder);
    }
  }

  private static byte[] mutate(byte[] good, Random random) {
    byte[] value = Arrays.copyOf(good, Math.max(1, good.length + random.nextInt(3)));
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      int at = random.nextInt(value.length);
      value[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) random.nextInt();
            case 1 -> (byte) (value[at] + 1);
            case 2 -> (byte) (0x80 | random.nextInt(6));
            default -> (byte) 0xff;
          };
    }
    return Arrays.copyOf(value, 1 + random.nextInt(value.length));
  }

  private static boolean accepts(byte[] value, Decoder decoder) {
    try {
      decoder.decode(value);
      return true;
    } catch (InvalidBerException | LdapOperationException _) {
      return false;
    } catch (RuntimeException | StackOverflowError e) {
      throw new AssertionError("-Dtest.seed=" + SEED + ", value " + hex(value), e);
    }
  }

  private static String hex(byte[] value) {
    return HexFormat.of().formatHex(value);
  }
}
