package org.nyala.core.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.load.SchemaLoader;

class NormalizerTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final long SEED = Seeds.seed();

  private static byte[] normalize(String rule, byte[] value) {
    MatchingRule matchingRule = SCHEMA.matchingRule(rule);
    byte[] padded = new byte[value.length + 4];
    System.arraycopy(value, 0, padded, 2, value.length);
    ByteAppender target = new ByteAppender(16).append('!');
    if (!matchingRule.valueNormalizer().normalize(padded, 2, value.length, target)) {
      assertThat(target.toByteArray()).isEqualTo(new byte[] {'!'});
      return new byte[0];
    }
    assertThat(target.byteAt(0)).isEqualTo((byte) '!');
    return Arrays.copyOfRange(target.array(), 1, target.length());
  }

  private static String text(String rule, String value) {
    return new String(normalize(rule, value.getBytes(UTF_8)), UTF_8);
  }

  private static String hex(String rule, String value) {
    return HexFormat.of().formatHex(normalize(rule, value.getBytes(UTF_8)));
  }

  private static String piece(String rule, SubstringPiece piece, String value) {
    ByteAppender target = new ByteAppender(16);
    byte[] bytes = value.getBytes(UTF_8);
    boolean valid =
        SCHEMA
            .matchingRule(rule)
            .assertionNormalizer()
            .normalizeSubstring(piece, bytes, 0, bytes.length, target);
    return valid ? new String(target.toByteArray(), UTF_8) : "invalid";
  }

  @Test
  void shouldNormalizeAsciiTextLikeTheSlowDefinition() {
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      byte[] value = new byte[random.nextInt(24)];
      for (int c = 0; c < value.length; c++) {
        value[c] = (byte) (random.nextInt(3) == 0 ? ' ' : random.nextInt(128));
      }
      String expected =
          new String(value, UTF_8)
              .replaceAll("[\\x09-\\x0d]", " ")
              .replaceAll("[\\x00-\\x1f\\x7f]", "")
              .replaceAll(" +", " ")
              .replaceAll("^ | $", "");
      expected = expected.isEmpty() ? " " : expected;
      assertThat(text("caseExactMatch", new String(value, UTF_8))).as(seed()).isEqualTo(expected);
      assertThat(text("caseIgnoreIA5Match", new String(value, UTF_8)))
          .as(seed())
          .isEqualTo(expected.toLowerCase(Locale.ROOT));
    }
  }

  @Test
  void shouldPrepareTextOutsideAscii() {
    assertThat(text("caseIgnoreMatch", "  Straße\u00a0 ŁUK ")).isEqualTo("strasse łuk");
    assertThat(text("caseExactMatch", "Straße Łuk")).isEqualTo("Straße Łuk");
    assertThat(text("caseIgnoreMatch", "ΣΑΣ")).isEqualTo(text("caseIgnoreMatch", "σας"));
    assertThat(text("caseIgnoreMatch", "E\u0301")).isEqualTo("é");
    assertThat(text("caseIgnoreMatch", "ﬁn\u00adal\u200b")).isEqualTo("final");
    assertThat(text("caseIgnoreMatch", "\u212a")).isEqualTo("k");
    assertThat(text("caseIgnoreMatch", "\u2102")).isEqualTo("c");
    assertThat(text("caseIgnoreMatch", "I")).isNotEqualTo(text("caseIgnoreMatch", "\u0131"));
    assertThat(text("caseIgnoreMatch", "\u3000é\u2003\u2003x")).isEqualTo("é x");
    assertThat(text("caseIgnoreMatch", "a \u0301")).isEqualTo("a \u0301");
    assertThat(text("caseIgnoreMatch", "😀 A")).isEqualTo("😀 a");
    assertThat(text("caseIgnoreIA5Match", "é")).isEmpty();
    assertThat(normalize("caseIgnoreMatch", new byte[] {'a', (byte) 0xc3})).isEmpty();
  }

  @Test
  void shouldNotOrderMarksWithoutBound() {
    String acute = "\u0301";
    String below = "\u0323";
    String language = acute.repeat(50) + below.repeat(50);
    assertThat(text("caseIgnoreMatch", "B" + language))
        .isEqualTo("\u1e05" + below.repeat(49) + acute.repeat(50));
    String none = language + below;
    assertThat(text("caseIgnoreMatch", "B" + none)).isEqualTo("b" + none);
    assertThat(text("caseExactMatch", "B" + none)).isEqualTo("B" + none);
  }

  @Test
  void shouldGiveTheSameForTheNormalForm() {
    Random random = new Random(SEED);
    for (int i = 0; i < 4000; i++) {
      StringBuilder value = new StringBuilder();
      for (int c = random.nextInt(6); c >= 0; c--) {
        value.appendCodePoint(codePoint(random));
      }
      for (String rule : new String[] {"caseIgnoreMatch", "caseExactMatch"}) {
        String once = text(rule, value.toString());
        assertThat(text(rule, once)).as("%s: %s", seed(), value).isEqualTo(once);
      }
    }
  }

  private static int codePoint(Random random) {
    while (true) {
      int codePoint = random.nextInt(random.nextBoolean() ? 0x3000 : 0x20000);
      if (Character.isDefined(codePoint) && Character.getType(codePoint) != Character.SURROGATE) {
        return codePoint;
      }
    }
  }

  @Test
  void shouldKeepTheInnerSpacesOfPieces() {
    String rule = "caseIgnoreSubstringsMatch";
    assertThat(piece(rule, SubstringPiece.INITIAL, "  John  ")).isEqualTo("john ");
    assertThat(piece(rule, SubstringPiece.ANY, "  John  B ")).isEqualTo(" john b ");
    assertThat(piece(rule, SubstringPiece.FINAL, "  John  ")).isEqualTo(" john");
    assertThat(piece(rule, SubstringPiece.ANY, "  ")).isEqualTo(" ");
    assertThat(piece(rule, SubstringPiece.INITIAL, " ")).isEmpty();
    assertThat(piece(rule, SubstringPiece.ANY, " É ")).isEqualTo(" é ");
    assertThat(piece("caseExactIA5SubstringsMatch", SubstringPiece.ANY, "A b")).isEqualTo("A b");
    assertThat(piece("telephoneNumberSubstringsMatch", SubstringPiece.ANY, "1-2 3"))
        .isEqualTo("123");
    assertThat(piece("numericStringSubstringsMatch", SubstringPiece.ANY, "1x"))
        .isEqualTo("invalid");
  }

  @Test
  void shouldFindEveryPieceOfAValueInItsNormalForm() {
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      StringBuilder value = new StringBuilder("x");
      for (int c = random.nextInt(12); c > 0; c--) {
        value.append("aB éß".charAt(random.nextInt(5)));
      }
      value.append('y');
      int from = random.nextInt(value.length());
      int to = from + 1 + random.nextInt(value.length() - from);
      String normalized = text("caseIgnoreMatch", value.toString());
      String any =
          piece("caseIgnoreSubstringsMatch", SubstringPiece.ANY, value.substring(from, to));
      assertThat(normalized).as("%s: '%s' in '%s'", seed(), any, value).contains(any);
      assertThat(normalized)
          .as(seed())
          .startsWith(
              piece("caseIgnoreSubstringsMatch", SubstringPiece.INITIAL, value.substring(0, to)))
          .endsWith(
              piece("caseIgnoreSubstringsMatch", SubstringPiece.FINAL, value.substring(from)));
    }
  }

  @Test
  void shouldOrderIntegersAsTheNumbersAre() {
    Random random = new Random(SEED);
    for (int i = 0; i < 4000; i++) {
      BigInteger one = number(random);
      BigInteger other = random.nextInt(4) == 0 ? one.add(BigInteger.ONE) : number(random);
      byte[] first = normalize("integerMatch", one.toString().getBytes(UTF_8));
      byte[] second = normalize("integerOrderingMatch", other.toString().getBytes(UTF_8));
      assertThat(Integer.signum(Arrays.compareUnsigned(first, second)))
          .as("%s: %s and %s", seed(), one, other)
          .isEqualTo(one.compareTo(other));
    }
  }

  private static BigInteger number(Random random) {
    int bits = random.nextInt(20) == 0 ? 2000 : random.nextInt(80);
    BigInteger magnitude = new BigInteger(bits, random);
    return random.nextBoolean() ? magnitude : magnitude.negate();
  }

  @Test
  void shouldNormalizeIntegersByValue() {
    assertThat(hex("integerMatch", "0")).isEqualTo("80").isEqualTo(hex("integerMatch", "-0"));
    assertThat(hex("integerMatch", "007")).isEqualTo("8107");
    assertThat(hex("integerMatch", "123")).isEqualTo("820123");
    assertThat(hex("integerMatch", "-1")).isEqualTo("7ffe");
    assertThat(hex("integerMatch", "")).isEmpty();
    assertThat(hex("integerMatch", "-")).isEmpty();
    assertThat(hex("integerMatch", "1x")).isEmpty();
  }

  @Test
  void shouldOrderTimesAsTheInstantsAre() {
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      OffsetDateTime one = time(random);
      OffsetDateTime other = random.nextInt(4) == 0 ? one.plusNanos(1_000_000) : time(random);
      byte[] first = normalize("generalizedTimeMatch", written(one).getBytes(UTF_8));
      byte[] second = normalize("generalizedTimeMatch", written(other).getBytes(UTF_8));
      assertThat(Integer.signum(Arrays.compareUnsigned(first, second)))
          .as("%s: %s and %s", seed(), written(one), written(other))
          .isEqualTo(Integer.signum(one.toInstant().compareTo(other.toInstant())));
    }
  }

  private static OffsetDateTime time(Random random) {
    ZoneOffset offset =
        random.nextBoolean()
            ? ZoneOffset.UTC
            : ZoneOffset.ofTotalSeconds((random.nextInt(97) - 48) * 900);
    return LocalDateTime.of(1970, 1, 1, 0, 0)
        .plusSeconds(random.nextInt(random.nextBoolean() ? 100_000 : Integer.MAX_VALUE))
        .plusNanos(random.nextBoolean() ? 0 : random.nextInt(1000) * 1_000_000L)
        .atOffset(offset);
  }

  private static String written(OffsetDateTime time) {
    String zone = time.getOffset().equals(ZoneOffset.UTC) ? "'Z'" : "xx";
    String fraction = time.getNano() == 0 ? "" : ".SSS";
    return time.format(
        DateTimeFormatter.ofPattern("yyyyMMddHHmmss" + fraction + zone, Locale.ROOT));
  }

  @Test
  void shouldNormalizeTimesToUtc() {
    String rule = "generalizedTimeMatch";
    assertThat(text(rule, "20250102030405Z")).isEqualTo("20250102030405");
    assertThat(text(rule, "20250102030405.120Z")).isEqualTo("2025010203040512");
    assertThat(text(rule, "20250102030405,0Z")).isEqualTo("20250102030405");
    assertThat(text(rule, "202501020304Z")).isEqualTo("20250102030400");
    assertThat(text(rule, "202501020304.5Z")).isEqualTo("20250102030430");
    assertThat(text(rule, "2025010203.25Z")).isEqualTo("20250102031500");
    assertThat(text(rule, "20250101003000+0130")).isEqualTo("20241231230000");
    assertThat(text(rule, "2024123123-02")).isEqualTo("20250101010000");
    assertThat(text(rule, "20240229000000Z")).isEqualTo("20240229000000");
    assertThat(text(rule, "20161231235960Z")).isEqualTo("20161231235960");
    for (String invalid :
        new String[] {
          "",
          "2025",
          "20250102030405",
          "20250229000000Z",
          "20251301000000Z",
          "20250102240000Z",
          "20250102036000Z",
          "2025010203040Z",
          "20250102030405.Z",
          "20250102030405+1",
          "20250102030405+2500",
          "20250102030405ZZ",
          "00000101000000+01",
          "2025010203040x5Z"
        }) {
      assertThat(text(rule, invalid)).as(invalid).isEmpty();
    }
  }

  @Test
  void shouldNormalizeIdentifiers() {
    UUID uuid = UUID.fromString("597ae2f6-16a6-1027-98f4-d28b5365dc14");
    assertThat(hex("uuidMatch", uuid.toString().toUpperCase(Locale.ROOT)))
        .isEqualTo("597ae2f616a6102798f4d28b5365dc14");
    assertThat(hex("uuidMatch", "597ae2f6-16a6-1027-98f4-d28b5365dc1")).isEmpty();
    assertThat(hex("uuidMatch", "597ae2f6-16a6-1027-98f4-d28b5365dc1g")).isEmpty();
    assertThat(text("CSNMatch", "20250101000000.123456Z#00000A#001#000000"))
        .isEqualTo("20250101000000.123456Z#00000a#001#000000");
    assertThat(text("CSNMatch", "20250101000000Z#000000#00#000000")).isEmpty();
    assertThat(text("CSNSIDMatch", "20250101000000.123456Z#00000A#0F1#000000")).isEqualTo("0f1");
    assertThat(hex("booleanMatch", "TRUE")).isEqualTo("01");
    assertThat(hex("booleanMatch", "FALSE")).isEqualTo("00");
    assertThat(hex("booleanMatch", "maybe")).isEmpty();
    assertThat(text("bitStringMatch", "'0101'B")).isEqualTo("'0101'B");
    assertThat(text("bitStringMatch", "'012'B")).isEmpty();
    assertThat(text("objectIdentifierMatch", "PERSON")).isEqualTo("2.5.6.6");
    assertThat(text("objectIdentifierMatch", " commonName ")).isEqualTo("2.5.4.3");
    assertThat(text("objectIdentifierMatch", "Unheard-Of")).isEqualTo("unheard-of");
    assertThat(text("objectIdentifierMatch", "1..2")).isEmpty();
  }

  @Test
  void shouldNormalizeRestrictedStrings() {
    assertThat(text("telephoneNumberMatch", " +49 (30) 12-34 x ")).isEqualTo("+49(30)1234x");
    assertThat(text("numericStringMatch", " 12 34 ")).isEqualTo("1234");
    assertThat(text("caseIgnoreListMatch", " Main  St $ B\\24 ")).isEqualTo("main st$b\\24");
    assertThat(text("caseIgnoreListMatch", "$a")).isEqualTo(" $a");
  }

  @Test
  void shouldNormalizeNames() {
    assertThat(text("distinguishedNameMatch", "CN=A B , DC=x")).isEqualTo("cn=a b,dc=x");
    assertThat(text("distinguishedNameMatch", "foo=A")).isEmpty();
    assertThat(text("uniqueMemberMatch", "CN=A,DC=x#'01'B")).isEqualTo("cn=a,dc=x#'01'B");
    assertThat(text("uniqueMemberMatch", "CN=A,DC=x")).isEqualTo("cn=a,dc=x");
  }

  @Test
  void shouldNormalizeFirstComponents() {
    assertThat(text("objectIdentifierFirstComponentMatch", "( 2.5.4.3 NAME 'cn' )"))
        .isEqualTo("2.5.4.3");
    assertThat(hex("integerFirstComponentMatch", "(12 FORM x)")).isEqualTo("8112");
    assertThat(text("directoryStringFirstComponentMatch", "( 'A  b' c )")).isEqualTo("a b");
    assertThat(text("objectIdentifierFirstComponentMatch", "2.5.4.3")).isEmpty();
  }

  private static boolean matches(String rule, String value, String assertion) {
    MatchingRule matchingRule = SCHEMA.matchingRule(rule);
    ByteAppender target = new ByteAppender(16);
    byte[] bytes = assertion.getBytes(UTF_8);
    assertThat(matchingRule.assertionNormalizer().normalize(bytes, 0, bytes.length, target))
        .isTrue();
    byte[] normalized = normalize(rule, value.getBytes(UTF_8));
    return matchingRule.matches(normalized, normalized.length, target.toByteArray());
  }

  @Test
  void shouldCompareByRule() {
    assertThat(matches("integerBitAndMatch", "514", "2")).isTrue();
    assertThat(matches("integerBitAndMatch", "514", "3")).isFalse();
    assertThat(matches("integerBitOrMatch", "514", "3")).isTrue();
    assertThat(matches("integerBitOrMatch", "514", "5")).isFalse();
    assertThat(matches("integerBitAndMatch", "-1", "-9223372036854775808")).isTrue();
    assertThat(matches("wordMatch", "The quick, brown fox", "QUICK")).isTrue();
    assertThat(matches("wordMatch", "The quick, brown fox", "row")).isFalse();
    assertThat(matches("dnSubtreeMatch", "cn=a,ou=b,dc=c", "OU=b,dc=c")).isTrue();
    assertThat(matches("dnSubtreeMatch", "cn=a,ou=b,dc=c", "cn=a,ou=b,dc=c")).isTrue();
    assertThat(matches("dnSubordinateMatch", "ou=b,dc=c", "ou=b,dc=c")).isFalse();
    assertThat(matches("dnOneLevelMatch", "cn=a\\,b,dc=c", "dc=c")).isTrue();
    assertThat(matches("dnOneLevelMatch", "cn=a,ou=b,dc=c", "dc=c")).isFalse();
    assertThat(matches("dnSuperiorMatch", "dc=c", "ou=b,dc=c")).isTrue();
    assertThat(matches("dnSubtreeMatch", "cn=x,ou=bb,dc=c", "ou=b,dc=c")).isFalse();
  }

  @Test
  void shouldSurviveRandomBytesInEveryRule() {
    Random random = new Random(SEED);
    for (MatchingRule rule : SCHEMA.matchingRules()) {
      for (int i = 0; i < 500; i++) {
        byte[] value = new byte[random.nextInt(40)];
        random.nextBytes(value);
        if (random.nextBoolean()) {
          for (int c = 0; c < value.length; c++) {
            value[c] = (byte) "0123456789.#Z+-'()=,\\ cnabB".charAt(random.nextInt(27));
          }
        }
        assertThat(normalize(rule.name(), value).length).as("%s %s", rule, seed()).isLessThan(400);
      }
    }
  }

  private static String seed() {
    return "-Dtest.seed=" + SEED;
  }
}
