package org.nyala.core.ldif;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LdifNameTest {
  @Test
  void shouldReadPlainFoldedAndEncodedNames() {
    assertName("dn: cn=a,dc=b\ncn: a\n", "cn=a,dc=b");
    assertName(
        "version: 1\r\n# a comment\n  of two lines\ndn:cn=a,\r\n dc=b\r\ncn: a\n", "cn=a,dc=b");
    assertName("dn:: Y249YSxkYz\n 1i\n", "cn=a,dc=b");
    assertName("dn: cn=\u00e9", "cn=\u00e9");
    assertName("DN: cn=a\n", "cn=a");
    assertName("Dn:: Y249YQ==\n", "cn=a");
    assertName("dn: cn=a\\ \ncn: a\n", "cn=a\\ ");
    assertName("VERSION: 1\n\ndn: cn=a\n", "cn=a");
  }

  @Test
  void shouldFindNoNameInOtherText() {
    assertThat(name("cn: a\ndn: cn=a\n")).isNull();
    assertThat(name("# dn: cn=a\n")).isNull();
    assertThat(name("dn:: ???\n")).isNull();
    assertThat(name("dn: cn=a\u0000\n")).isNull();
    assertThat(name("")).isNull();
  }

  @Test
  void shouldStayWithinTheBoundsOfTheRecord() {
    byte[] text = "dn: cn=z\n\ndn: cn=a\n b\n".getBytes(StandardCharsets.UTF_8);
    assertThat(new LdifName().of(text, 10, 19)).isEqualTo("cn=a".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldShowNoControlCharactersAndNoMoreThanABoundedText() {
    assertThat(LdifName.shown("cn=\u001b[2J\u202e\n".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("'cn=?[2J??'");
    assertThat(LdifName.shown("x".repeat(301).getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("'" + "x".repeat(300) + "...'");
  }

  private static void assertName(String text, String name) {
    assertThat(name(text)).isEqualTo(name);
  }

  private static @Nullable String name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] name = new LdifName().of(bytes, 0, bytes.length);
    return name == null ? null : new String(name, StandardCharsets.UTF_8);
  }
}
