package org.nyala.core.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

class CsnTest {
  private static Csn random(Random random) {
    long micros = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextLong(Csn.LAST_MICROS + 1);
    return new Csn(micros, number(random, 24), number(random, 12), number(random, 24));
  }

  private static int number(Random random, int bits) {
    return random.nextBoolean() ? random.nextInt(1 << bits) : random.nextInt(2) * ((1 << bits) - 1);
  }

  private static ByteBuffer packed(Csn csn) {
    ByteBuffer buffer = ByteBuffer.allocate(Csn.PACKED_BYTES);
    csn.pack(buffer);
    return buffer.flip();
  }

  @Test
  void shouldBeReadBackFromTextAndBytesAndSortAsTheyDo() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      Csn one = random(random);
      Csn other = random.nextInt(3) == 0 ? one : random(random);
      String context = "seed " + seed + ": " + one + " " + other;
      assertThat(Csn.parse(one.toString())).as(context).isEqualTo(one);
      assertThat(Csn.unpack(packed(one), 0)).as(context).isEqualTo(one);
      int order = Integer.signum(one.compareTo(other));
      assertThat(order).as(context).isEqualTo(-Integer.signum(other.compareTo(one)));
      assertThat(Integer.signum(compare(one.toString(), other.toString())))
          .as(context)
          .isEqualTo(order);
      assertThat(Integer.signum(Arrays.compareUnsigned(packed(one).array(), packed(other).array())))
          .as(context)
          .isEqualTo(order);
    }
  }

  private static int compare(String one, String other) {
    return Arrays.compareUnsigned(
        one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void shouldReadWhatOlderServersWrite() {
    assertThat(Csn.parse("20260131120000Z#00000A#0b#000000"))
        .hasToString("20260131120000.000000Z#00000a#00b#000000");
    assertThat(Csn.parse("20260131120000.123456Z#000000#FFF#000001").time())
        .isEqualTo(Instant.parse("2026-01-31T12:00:00.123456Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "###",
        "tomorrow",
        "20260131120000.123456Z",
        "20260131120000.123456Z#000000#001",
        "20260131120000.123456Z#000000#001#",
        "20260131120000.123456Z#000000#001#000000#",
        "20260131120000.123456Z#0000000#001#000000",
        "20260131120000.123456Z#000000#0001#000000",
        "20260131120000.123456Z#00000g#001#000000",
        "20260131120000.12345Z#000000#001#000000",
        "20260131120000.123456+#000000#001#000000",
        "20260231120000.123456Z#000000#001#000000",
        "20260131240000.123456Z#000000#001#000000",
        "20260131126000.123456Z#000000#001#000000",
        "20260131120060.123456Z#000000#001#000000",
        "2026013112000-.123456Z#000000#001#000000",
        "19690131120000.123456Z#000000#001#000000"
      })
  void shouldReadNothingElse(String text) {
    assertThat(Csn.parse(text)).isNull();
  }

  @Test
  void shouldRefusePartsThatDoNotFit() {
    assertThatThrownBy(() -> new Csn(0, 1 << 24, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Csn(0, 0, 1 << 12, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Csn(0, 0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Csn(-1, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Csn(Csn.LAST_MICROS + 1, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReachToTheEndOfTheYear9999() {
    Csn last = new Csn(Csn.LAST_MICROS, 0, 0, 0);
    assertThat(last).hasToString("99991231235959.999999Z#000000#000#000000");
    assertThat(Csn.parse(last.toString())).isEqualTo(last);
  }

  @Test
  void shouldBeReadFromAPartOfAnArray() {
    String text = "20260131120000.123456Z#000000#001#000000";
    byte[] bytes = ("#1" + text + "#2").getBytes(StandardCharsets.US_ASCII);
    assertThat(Csn.parse(bytes, 2, text.length())).hasToString(text);
    assertThat(Csn.parse(bytes, 2, text.length() - 7)).isNull();
    assertThat(Csn.parse(bytes, 2, text.length() + 1)).isNull();
  }

  @Test
  void shouldKeepTheLargestOfEachServerInTheirOrder() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      TreeMap<Integer, Csn> expected = new TreeMap<>();
      List<Csn> given = new ArrayList<>();
      CsnVector vector = CsnVector.EMPTY;
      for (int i = random.nextInt(30); i > 0; i--) {
        Csn csn = new Csn(random.nextInt(20), 0, random.nextInt(1 + round % 9), 0);
        boolean isNew = csn.compareTo(expected.getOrDefault(csn.serverId(), csn)) > 0;
        boolean isCovered = expected.containsKey(csn.serverId()) && !isNew;
        assertThat(vector.covers(csn)).as("seed %d", seed).isEqualTo(isCovered);
        expected.merge(csn.serverId(), csn, (a, b) -> a.compareTo(b) > 0 ? a : b);
        CsnVector before = vector;
        vector = vector.with(csn);
        assertThat(vector == before).as("seed %d", seed).isEqualTo(isCovered);
        given.add(csn);
      }
      int middle = given.size() / 2;
      CsnVector first = CsnVector.ofLargest(given.subList(0, middle));
      CsnVector second = CsnVector.ofLargest(given.subList(middle, given.size()));
      assertThat(first.with(second)).as("seed %d", seed).isEqualTo(vector);
      assertThat(vector.with(first)).as("seed %d", seed).isSameAs(vector);
      assertThat(vector.csns()).as("seed %d", seed).containsExactlyElementsOf(expected.values());
    }
  }
}
