package org.nyala.core.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.Utf8;
import org.nyala.core.schema.load.SchemaLoader;

class SyntaxTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final String LDAP = "1.3.6.1.4.1.1466.115.121.1.";

  private static boolean isValid(String syntax, String value) {
    return SCHEMA.syntax(LDAP + syntax).isValid(value.getBytes(UTF_8));
  }

  @Test
  void shouldTellUtf8FromOtherBytesLikeTheDecoder() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int[] bytes = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe1};
    int[] more = {0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
    int valid = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] value = new byte[1 + random.nextInt(5)];
      for (int c = 0; c < value.length; c++) {
        value[c] =
            (byte)
                (random.nextInt(3) > 0
                    ? bytes[random.nextInt(bytes.length)]
                    : more[random.nextInt(more.length)]);
      }
      boolean expected = decodes(value);
      valid += expected ? 1 : 0;
      assertThat(Utf8.isValid(value, 0, value.length))
          .as("seed %d round %d", seed, i)
          .isEqualTo(expected);
    }
    assertThat(valid).isPositive();
  }

  private static boolean decodes(byte[] value) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(value));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  @Test
  void shouldAcceptPostalAddressesWhoseBackslashesAreEscapes() {
    assertThat(isValid("41", "1 Main St$London")).isTrue();
    assertThat(isValid("41", "\\241,000,000 Sweepstakes$PO Box 1\\5C2")).isTrue();
    assertThat(isValid("41", "a\\5cb")).isTrue();
    assertThat(isValid("41", "")).isFalse();
    assertThat(isValid("41", "a\\b")).isFalse();
    assertThat(isValid("41", "a\\2")).isFalse();
    assertThat(isValid("41", "a\\25")).isFalse();
  }

  @Test
  void shouldAcceptTheDeliveryMethodsThereAre() {
    assertThat(isValid("14", "telex $ telephone")).isTrue();
    assertThat(isValid("14", "ANY$mhs")).isTrue();
    assertThat(isValid("14", "g3fax  $g4fax$ ia5")).isTrue();
    assertThat(isValid("14", "any$".repeat(200_000) + "any")).isTrue();
    assertThat(isValid("14", "pigeon")).isFalse();
    assertThat(isValid("14", "any $")).isFalse();
    assertThat(isValid("14", "$any")).isFalse();
    assertThat(isValid("14", " any")).isFalse();
    assertThat(isValid("14", "any mhs")).isFalse();
    assertThat(isValid("14", "")).isFalse();
  }

  @Test
  void shouldNotAcceptEmptyPartsOfFaxAndTelexNumbers() {
    assertThat(isValid("22", "+47 22 00$fineResolution$b4Length")).isTrue();
    assertThat(isValid("22", "1$")).isFalse();
    assertThat(isValid("22", "$twoDimensional")).isFalse();
    assertThat(isValid("52", "12345$no$harbour")).isTrue();
    assertThat(isValid("52", "12345$$harbour")).isFalse();
  }

  @Test
  void shouldAcceptValidValuesOnly() {
    assertThat(isValid("15", "é")).isTrue();
    assertThat(isValid("15", "")).isFalse();
    assertThat(isValid("26", "")).isTrue();
    assertThat(isValid("26", "é")).isFalse();
    assertThat(isValid("27", "-12")).isTrue();
    assertThat(isValid("27", "0")).isTrue();
    assertThat(isValid("27", "012")).isFalse();
    assertThat(isValid("27", "-0")).isFalse();
    assertThat(isValid("27", "-")).isFalse();
    assertThat(isValid("7", "TRUE")).isTrue();
    assertThat(isValid("7", "FALSE")).isTrue();
    assertThat(isValid("7", "true")).isFalse();
    assertThat(isValid("7", "TRUF")).isFalse();
    assertThat(isValid("12", "cn=a,dc=b")).isTrue();
    assertThat(isValid("12", "")).isTrue();
    assertThat(isValid("12", "cn")).isFalse();
    assertThat(isValid("34", "cn=a#'1'B")).isTrue();
    assertThat(isValid("24", "20250101000000Z")).isTrue();
    assertThat(isValid("24", "yesterday")).isFalse();
    assertThat(isValid("36", "1 2")).isTrue();
    assertThat(isValid("36", "1x")).isFalse();
    assertThat(isValid("38", "person")).isTrue();
    assertThat(isValid("38", "2.5.6.6")).isTrue();
    assertThat(isValid("38", "2..6")).isFalse();
    assertThat(isValid("38", "0.9.2342.0")).isTrue();
    assertThat(isValid("38", "2.5.")).isFalse();
    assertThat(isValid("38", "2.5.04")).isFalse();
    assertThat(isValid("38", "00")).isFalse();
    assertThat(isValid("38", "1a")).isFalse();
    assertThat(isValid("44", "a(b)")).isTrue();
    assertThat(isValid("44", "a*b")).isFalse();
    assertThat(isValid("50", "+49 30 1")).isTrue();
    assertThat(isValid("11", "DE")).isTrue();
    assertThat(isValid("11", "DEU")).isFalse();
    assertThat(isValid("53", "9912312359Z")).isTrue();
    assertThat(isValid("53", "99Z")).isFalse();
    assertThat(SCHEMA.syntax(LDAP + "9").isValid(new byte[] {0x30, 0})).isTrue();
    assertThat(SCHEMA.syntax(LDAP + "9").isValid(new byte[] {1, 2})).isFalse();
  }
}
