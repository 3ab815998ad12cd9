package org.nyala.core.ber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/**
 * Tests that {@link BerReader} reads everything that {@link BerWriter} writes, and nothing that is
 * not BER.
 */
final class BerTest {
  private static final long SEED = Seeds.seed();
  private static final int DEPTH_MAXIMUM = 12;

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }

  private static BerReader reader(String digits) {
    return BerReader.trusted(hex(digits));
  }

  @FunctionalInterface
  private interface Read {
    Object read(BerReader in) throws InvalidBerException;
  }

  private static void assertRefused(String digits, Read read) {
    assertThatExceptionOfType(InvalidBerException.class)
        .as(digits)
        .isThrownBy(() -> read.read(reader(digits)));
  }

  /** Returns the contents of a value as text, constructed elements included. */
  private static String show(BerReader in, int depth) throws InvalidBerException {
    StringBuilder shown = new StringBuilder();
    while (in.hasNext()) {
      int tag = in.nextTag();
      shown.append(Integer.toHexString(tag)).append('(');
      switch (tag) {
        case BerReader.BOOLEAN -> shown.append(in.bool());
        case BerReader.INTEGER -> shown.append(in.integer());
        case BerReader.ENUMERATED -> shown.append(in.enumerated());
        default -> {
          if ((tag & 0x20) != 0 && depth < DEPTH_MAXIMUM) {
            shown.append(show(in.content(tag), depth + 1));
          } else {
            shown.append(HexFormat.of().formatHex(in.octets(tag)));
          }
        }
      }
      shown.append(')');
    }
    assertThat(in.nextTag()).isEqualTo(BerReader.END);
    return shown.toString();
  }

  /** Writes random elements, and returns the output that {@link #show} must give for them. */
  private static String write(Random random, BerWriter out, int depth) {
    StringBuilder shown = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      int kind = random.nextInt(depth >= DEPTH_MAXIMUM ? 4 : 6);
      switch (kind) {
        case 0 -> {
          boolean value = random.nextBoolean();
          out.bool(value);
          shown.append("1(").append(value).append(')');
        }
        case 1 -> {
          int value = random.nextInt() >> random.nextInt(32);
          out.integer(value);
          shown.append("2(").append(value).append(')');
        }
        case 2 -> {
          int value = random.nextInt() >>> random.nextInt(32);
          out.enumerated(value);
          shown.append("a(").append(value).append(')');
        }
        case 3 -> {
          byte[] value = new byte[random.nextInt(8) == 0 ? random.nextInt(70_000) : 3];
          random.nextBytes(value);
          out.octets(value);
          shown.append("4(").append(HexFormat.of().formatHex(value)).append(')');
        }
        default -> {
          int tag = kind == 4 ? BerReader.SEQUENCE : 0xa0 + random.nextInt(31);
          BerWriter inner = new BerWriter();
          String content = write(random, inner, depth + 1);
          out.constructed(tag, inner);
          shown.append(Integer.toHexString(tag)).append('(').append(content).append(')');
        }
      }
    }
    return shown.toString();
  }

  @Test
  void shouldReadWhatWasWritten() throws InvalidBerException {
    Random random = new Random(SEED);
    for (int i = 0; i < 300; i++) {
      BerWriter out = new BerWriter();
      String written = write(random, out, 0);
      assertThat(show(BerReader.trusted(out.toByteArray()), 0))
          .as("-Dtest.seed=%d, value %d", SEED, i)
          .isEqualTo(written);
    }
  }

  @Test
  void shouldSurviveEveryCutAndAnyMutation() {
    BerWriter inner = new BerWriter().integer(-129).bool(true).text("é").octets(new byte[200]);
    BerWriter outer = new BerWriter().enumerated(3).constructed(0xa3, inner).raw(hex("0500"));
    byte[] good = new BerWriter().sequence(outer).toByteArray();
    DecoderFuzz.check(
        good,
        value -> {
          BerReader in = BerReader.trusted(value);
          show(in.sequence(), 0);
          in.requireEnd();
        });
    DecoderFuzz.check(
        good,
        value -> {
          BerReader in = BerReader.trusted(value);
          byte[] element = in.element();
          in.requireEnd();
          assertThat(element).isEqualTo(value);
        });
  }

  @Test
  void shouldWriteTheShortestIntegers() throws InvalidBerException {
    int[] values = {0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769};
    String[] encodings = {
      "00", "01", "ff", "7f", "0080", "80", "ff7f", "00ff", "0100", "7fff", "008000", "8000",
      "ff7fff"
    };
    for (int i = 0; i < values.length; i++) {
      byte[] written = new BerWriter().integer(values[i]).toByteArray();
      String length = String.format(Locale.ROOT, "%02x", encodings[i].length() / 2);
      assertThat(HexFormat.of().formatHex(written)).isEqualTo("02" + length + encodings[i]);
      assertThat(BerReader.trusted(written).integer()).isEqualTo(values[i]);
    }
    for (int value : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 23, -(1 << 23) - 1}) {
      byte[] written = new BerWriter().integer(0x85, value).toByteArray();
      assertThat(written).hasSize(6);
      assertThat(BerReader.trusted(written).integer(0x85)).isEqualTo(value);
    }
  }

  @Test
  void shouldWriteTheShortestLengths() throws InvalidBerException {
    int[] lengths = {0, 1, 127, 128, 255, 256, 65_535, 65_536, 1 << 24};
    int[] headers = {2, 2, 2, 3, 3, 4, 4, 5, 6};
    for (int i = 0; i < lengths.length; i++) {
      byte[] written = new BerWriter().octets(new byte[lengths[i]]).toByteArray();
      assertThat(written).hasSize(headers[i] + lengths[i]);
      assertThat(BerReader.trusted(written).octets()).hasSize(lengths[i]);
    }
  }

  @Test
  void shouldReadLengthsThatAreLongerThanTheyNeedToBe() throws InvalidBerException {
    assertThat(reader("0481 01 61").text()).isEqualTo("a");
    assertThat(reader("0484 00000001 61").text()).isEqualTo("a");
    assertThat(reader("0204 ffffffff").integer()).isEqualTo(-1);
    assertThat(reader("0101 01").bool()).isTrue();
    assertThat(reader("8001 00").bool(0x80)).isFalse();
  }

  @Test
  void shouldRefuseWhatLdapDoesNotAllow() {
    assertRefused("0480 6100 00", BerReader::octets);
    assertRefused("0485 0000000001 61", BerReader::octets);
    assertRefused("0484 80000000 61", BerReader::octets);
    assertRefused("0484 ffffffff 61", BerReader::octets);
    assertRefused("04ff", BerReader::octets);
    assertRefused("04", BerReader::octets);
    assertRefused("", BerReader::octets);
    assertRefused("", BerReader::element);
    assertRefused("1f8101 00", BerReader::element);
    assertRefused("bf8101 00", in -> in.octets(0xbf));
    assertRefused("0402 61", BerReader::octets);
    assertRefused("0401 61", BerReader::integer);
    assertRefused("0200", BerReader::integer);
    assertRefused("0205 0000000001", BerReader::integer);
    assertRefused("0100", BerReader::bool);
    assertRefused("0102 0000", BerReader::bool);
    assertRefused("0402 c3 28", BerReader::text);
    assertRefused("0403 eda080", BerReader::text);
    assertRefused("3003 0402 61", in -> in.sequence().octets());
    assertRefused(
        "0500 00",
        in -> {
          in.element();
          in.requireEnd();
          return in;
        });
  }

  @Test
  void shouldGoOnAfterWhatWasEntered() throws InvalidBerException {
    BerReader in = reader("3004 0401 61 05 0401 62".replace("05 ", "00 "));
    assertThatExceptionOfType(InvalidBerException.class).isThrownBy(in.sequence()::requireEnd);
    assertThat(in.text()).isEqualTo("b");
    List<String> texts = new ArrayList<>();
    BerReader set = reader("3106 0401 61 0401 62").content(BerReader.SET);
    while (set.hasNext()) {
      texts.add(new String(set.octets(), StandardCharsets.UTF_8));
    }
    assertThat(texts).containsExactly("a", "b");
  }

  @Test
  void shouldEnterAndLeaveInPlace() throws InvalidBerException {
    byte[] bytes = hex("ffff 3008 040161 3003 0101ff 040162 ff");
    BerReader in = new BerReader(new ElementBudget(Integer.MAX_VALUE));
    assertThat(in.nextTag()).isEqualTo(BerReader.END);
    in.reset(bytes, 2, bytes.length - 1);
    int sequence = in.enter(BerReader.SEQUENCE);
    assertThat(in.text()).isEqualTo("a");
    assertThatExceptionOfType(InvalidBerException.class).isThrownBy(() -> in.leave(sequence));
    int inner = in.enter(BerReader.SEQUENCE);
    assertThat(in.bool()).isTrue();
    assertThat(in.position()).isEqualTo(12);
    assertThat(in.hasNext()).isFalse();
    in.leave(inner);
    in.leave(sequence);
    assertThat(in.text()).isEqualTo("b");
    in.requireEnd();
  }

  @Test
  void shouldLeaveWhatLaterVersionsMayHaveAddedTo() throws InvalidBerException {
    for (String more : new String[] {"", "0400", "010100", "950101", "9f81010107"}) {
      int length = 3 + more.length() / 2;
      BerReader in =
          reader("30" + String.format(Locale.ROOT, "%02x", length) + "040161" + more + "020105");
      int sequence = in.enter(BerReader.SEQUENCE);
      assertThat(in.skip(BerReader.OCTET_STRING)).isEqualTo(1);
      in.leaveExtensible(sequence);
      assertThat(in.integer()).isEqualTo(5);
      in.requireEnd();
    }
    BerReader cut = reader("3005 040161 0402 020105");
    int sequence = cut.enter(BerReader.SEQUENCE);
    cut.skip(BerReader.OCTET_STRING);
    assertThatExceptionOfType(InvalidBerException.class)
        .isThrownBy(() -> cut.leaveExtensible(sequence));
  }

  @Test
  void shouldTellWhatIsNoTextFromWhatIsNoBer() {
    assertThatExceptionOfType(BerContentException.class).isThrownBy(() -> reader("0401ff").text());
    assertThatExceptionOfType(InvalidBerException.class)
        .isThrownBy(() -> reader("0402ff").text())
        .isNotInstanceOf(BerContentException.class);
  }
}
