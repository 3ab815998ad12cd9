package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

final class LdapFramingTest {
  private static int length(int limit, int... bytes) {
    byte[] content = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      content[i] = (byte) bytes[i];
    }
    return LdapFraming.messageLength(Unpooled.wrappedBuffer(content), limit);
  }

  @Test
  void shouldFindLengthFromHeaderAlone() {
    assertThat(length(100)).isEqualTo(LdapFraming.INCOMPLETE);
    assertThat(length(100, 0x30)).isEqualTo(LdapFraming.INCOMPLETE);
    assertThat(length(100, 0x30, 5)).isEqualTo(7);
    assertThat(length(100, 0x30, 0x82)).isEqualTo(LdapFraming.INCOMPLETE);
    assertThat(length(100, 0x30, 0x82, 0)).isEqualTo(LdapFraming.INCOMPLETE);
    assertThat(length(100, 0x30, 0x82, 0, 9)).isEqualTo(13);
    assertThat(length(100, 0x30, 0x84, 0, 0, 0, 9)).isEqualTo(15);
  }

  @Test
  void shouldRefuseBeforeAnythingIsBuffered() {
    assertThat(length(100, 0x31)).isEqualTo(LdapFraming.NOT_LDAP);
    assertThat(length(100, 0x30, 0x80)).isEqualTo(LdapFraming.NOT_LDAP);
    assertThat(length(100, 0x30, 0x85)).isEqualTo(LdapFraming.NOT_LDAP);
    assertThat(length(100, 0x30, 0xff)).isEqualTo(LdapFraming.NOT_LDAP);
    assertThat(length(100, 0x30, 98)).isEqualTo(100);
    assertThat(length(100, 0x30, 99)).isEqualTo(LdapFraming.TOO_LONG);
    assertThat(length(100, 0x30, 0x84, 0x7f, 0xff, 0xff, 0xff)).isEqualTo(LdapFraming.TOO_LONG);
    assertThat(length(Integer.MAX_VALUE, 0x30, 0x84, 0xff, 0xff, 0xff, 0xff))
        .isEqualTo(LdapFraming.TOO_LONG);
  }
}
