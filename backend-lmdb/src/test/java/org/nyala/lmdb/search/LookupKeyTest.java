package org.nyala.lmdb.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

class LookupKeyTest {
  @Test
  void shouldHaveTheBytesOfAKeyInItsWordsWhateverFollowsInTheArray() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    LookupKey one = new LookupKey();
    LookupKey other = new LookupKey();
    for (int round = 0; round < 20_000; round++) {
      byte[] key = new byte[1 + random.nextInt(LookupKey.MAXIMUM_LENGTH)];
      random.nextBytes(key);
      byte[] padded = new byte[key.length + random.nextInt(12)];
      random.nextBytes(padded);
      System.arraycopy(key, 0, padded, 0, key.length);
      assertThat(one.take(key, key.length)).isTrue();
      assertThat(other.take(padded, key.length)).isTrue();
      assertThat(words(other)).as("seed %d round %d", seed, round).isEqualTo(bytes(key));
      assertThat(words(one)).as("seed %d round %d", seed, round).isEqualTo(bytes(key));
      assertThat(other.hash()).isEqualTo(one.hash());
      assertThat(other.length()).isEqualTo(key.length);
    }
  }

  private static String bytes(byte[] key) {
    return Arrays.toString(Arrays.copyOf(key, (key.length + 7) / 8 * 8));
  }

  private static String words(LookupKey point) {
    byte[] bytes = new byte[point.wordCount() * 8];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (point.word(i / 8) >>> i % 8 * 8);
    }
    return Arrays.toString(bytes);
  }

  @Test
  void shouldRefuseAKeyThatHasNoRoomInASlot() {
    LookupKey point = new LookupKey();
    assertThat(point.take(new byte[500], LookupKey.MAXIMUM_LENGTH)).isTrue();
    assertThat(point.take(new byte[500], LookupKey.MAXIMUM_LENGTH + 1)).isFalse();
    assertThat(point.take(new byte[500], 0)).isFalse();
  }
}
