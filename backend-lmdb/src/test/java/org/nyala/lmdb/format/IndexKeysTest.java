package org.nyala.lmdb.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;

class IndexKeysTest {
  @Test
  void shouldOrderKeysAsValuesAndThenByBlock() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] left = randomValue(random, 6);
      byte[] right = randomValue(random, 6);
      int leftBlock = random.nextInt(3);
      int rightBlock = random.nextInt(3) * 0x00ff_ffff;
      int expected = Integer.signum(Arrays.compareUnsigned(left, right));
      if (expected == 0) {
        expected = Integer.signum(Integer.compare(leftBlock, rightBlock));
      }
      int actual = Arrays.compareUnsigned(key(left, leftBlock), key(right, rightBlock));
      assertThat(Integer.signum(actual)).as("seed %d round %d", seed, round).isEqualTo(expected);
    }
  }

  @Test
  void shouldKeepTheBlocksOfOneValueTogether() {
    byte[] last = key(new byte[] {'a'}, (int) (IndexKeys.MAXIMUM_BLOCKS - 1));
    assertThat(Arrays.compareUnsigned(last, key(new byte[] {'a', 0}, 0))).isNegative();
    assertThat(IndexKeys.blockOf(ByteBuffer.wrap(key(new byte[] {'a', 0}, 77)))).isEqualTo(77);
  }

  @Test
  void shouldCutLongValuesAndKeepThemApart() {
    byte[] longest = filled(IndexKeys.MAXIMUM_ESCAPED_LENGTH);
    byte[] longer = filled(IndexKeys.MAXIMUM_ESCAPED_LENGTH + 1);
    byte[] another = longer.clone();
    another[another.length - 1] = 'b';
    ByteAppender target = new ByteAppender(16);
    assertThat(append(longest, target)).isTrue();
    assertThat(append(longer, target.clear())).isFalse();
    assertThat(prefix(longer)).isNotEqualTo(prefix(another)).isNotEqualTo(prefix(longest));
    assertThat(prefix(longer)).isEqualTo(prefix(longer.clone()));
    byte[] zeros = new byte[5000];
    assertThat(key(zeros, 0).length).isLessThanOrEqualTo(511);
    assertThat(key(filled(70_000), 0).length).isLessThanOrEqualTo(511);
  }

  @Test
  void shouldNeverCutThroughAnEscape() {
    for (int zeroAt = 378; zeroAt < 386; zeroAt++) {
      byte[] value = filled(600);
      value[zeroAt] = 0;
      ByteAppender bound = new ByteAppender(16);
      IndexKeys.appendBound(value, 0, value.length, bound);
      int last = bound.byteAt(bound.length() - 1);
      assertThat(last).as("zero at %d", zeroAt).isNotZero();
      byte[] prefix = prefix(value);
      assertThat(Arrays.copyOfRange(prefix, 3, 3 + bound.length())).isEqualTo(bound.toByteArray());
    }
  }

  @Test
  void shouldCutLongNamesOfDn2IdSoThatNoNameCanPassForAnother() {
    byte[] longest = filled(Dn2IdKeys.MAXIMUM_NAME_LENGTH);
    byte[] longer = filled(Dn2IdKeys.MAXIMUM_NAME_LENGTH + 1);
    ByteAppender target = new ByteAppender(16);
    Dn2IdKeys.append(5, longest, target);
    assertThat(target.length()).isEqualTo(8 + longest.length);
    Dn2IdKeys.append(5, longer, target.clear());
    assertThat(target.length()).isEqualTo(Dn2IdKeys.MAXIMUM_LENGTH).isLessThanOrEqualTo(511);
    byte[] cut = target.toByteArray();
    byte[] disguised = Arrays.copyOfRange(cut, 8, cut.length);
    Dn2IdKeys.append(5, disguised, target.clear());
    assertThat(target.toByteArray()).isNotEqualTo(cut);
  }

  private static byte[] randomValue(Random random, int maximumLength) {
    byte[] value = new byte[random.nextInt(maximumLength)];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) new int[] {0, 1, 0x7f, 0xfe, 0xff}[random.nextInt(5)];
    }
    return value;
  }

  private static byte[] filled(int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) 'a');
    return value;
  }

  private static boolean append(byte[] value, ByteAppender target) {
    return IndexKeys.appendPrefix(3, IndexKind.EQUALITY, value, 0, value.length, target);
  }

  private static byte[] prefix(byte[] value) {
    ByteAppender target = new ByteAppender(16);
    append(value, target);
    return target.toByteArray();
  }

  private static byte[] key(byte[] value, int block) {
    ByteAppender target = new ByteAppender(16);
    append(value, target);
    return target.appendInt(block).toByteArray();
  }
}
