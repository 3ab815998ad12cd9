package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;

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

  private static byte[] message(int id, int tag, int contentBytes) {
    BerWriter content = new BerWriter().octets(0x80, new byte[contentBytes]);
    return new BerWriter()
        .sequence(new BerWriter().integer(id).constructed(tag, content))
        .toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x60, 0x63, 0x66, 0x68, 0x6c, 0x6e, 0x77, 0x78})
  void shouldRecognizeExtendedRequests(int tag) {
    for (int id : new int[] {0, 1, 0x77, 0x7777, 0x777777, Integer.MAX_VALUE}) {
      for (int bytes : new int[] {0, 1, 100, 130, 300, 70_000}) {
        byte[] message = message(id, tag, bytes);
        ByteBuf in = Unpooled.buffer().writeBytes(new byte[3]).writeBytes(message).skipBytes(3);
        assertThat(LdapFraming.isExtendedRequest(in))
            .as("id %s, tag %x, %s bytes", id, tag, bytes)
            .isEqualTo(tag == 0x77);
        assertThat(in.readerIndex()).isEqualTo(3);
      }
    }
  }

  /** A message that the decoder takes for an extended request with an id of a few bytes is one. */
  @Test
  void shouldAgreeWithTheDecoderOnMalformedMessages() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    RequestDecoder decoder = RequestDecoder.direct(ServerLimits.DEFAULT);
    byte[] whole =
        new BerWriter()
            .sequence(
                new BerWriter()
                    .integer(7)
                    .constructed(0x77, new BerWriter().text(0x80, "1.3.6.1.4.1.1466.20037")))
            .toByteArray();
    int decoded = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = whole.clone();
      for (int j = 1; j < 8; j++) {
        bytes[j] = random.nextInt(8) == 0 ? (byte) random.nextInt() : bytes[j];
      }
      int before = random.nextInt(4);
      ByteBuf in = Unpooled.buffer().writeBytes(whole, 0, before).writeBytes(bytes);
      in.skipBytes(before);
      int length = LdapFraming.messageLength(in, 1000);
      if (length < 0 || length > in.readableBytes()) {
        continue;
      }
      boolean isExtended = LdapFraming.isExtendedRequest(in);
      Request request = decoder.decode(in, in.readerIndex(), length, length);
      if (request != null) {
        decoded++;
        assertThat(isExtended)
            .as("test.seed=%s: %s", seed, Arrays.toString(bytes))
            .isEqualTo(request instanceof Request.Extended);
      }
    }
    assertThat(decoded).isGreaterThan(10_000);
  }
}
