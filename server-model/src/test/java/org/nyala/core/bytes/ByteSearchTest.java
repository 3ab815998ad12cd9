package org.nyala.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.schema.rule.Comparisons;

final class ByteSearchTest {
  private static byte[] random(Random random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ('a' + (random.nextInt(8) == 0 ? 1 : 0));
    }
    return bytes;
  }

  @Test
  void shouldFindWhatStringsFind() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      byte[] value = random(random, random.nextInt(900));
      byte[] piece = random(random, 1 + random.nextInt(40));
      int from = random.nextInt(value.length + 1);
      int end = from + random.nextInt(value.length - from + 1);
      String text = new String(value, 0, end, StandardCharsets.US_ASCII);
      assertThat(ByteSearch.indexOf(value, from, end, piece))
          .as("test.seed=%d, %d", seed, i)
          .isEqualTo(text.indexOf(new String(piece, StandardCharsets.US_ASCII), from));
    }
  }

  @Test
  void shouldTakeTimeByTheLengthOfWhatAgreesNearlyEverywhere() {
    byte[] value = new byte[4 << 20];
    byte[] piece = new byte[2 << 20];
    Arrays.fill(value, (byte) 'a');
    Arrays.fill(piece, (byte) 'a');
    piece[piece.length - 1] = 'b';
    assertThat(ByteSearch.indexOf(value, 0, value.length, piece)).isEqualTo(-1);
    assertThat(Comparisons.hasWord(value, value.length, piece)).isFalse();
  }
}
