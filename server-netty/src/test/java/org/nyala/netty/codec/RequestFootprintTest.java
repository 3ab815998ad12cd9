package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

class RequestFootprintTest {
  private static final int PLENTY = 1_000_000;
  private static final int SEARCH = 8 + 4;

  private static byte[] elements(int count) {
    byte[] empty = new byte[2 * count];
    for (int i = 0; i < count; i++) {
      empty[2 * i] = BerReader.OCTET_STRING;
    }
    return empty;
  }

  private static byte[] sequence(byte[] content) {
    return new BerWriter().octets(BerReader.SEQUENCE, content).toByteArray();
  }

  private static BerWriter control(byte[] value) {
    BerWriter content = new BerWriter().text("1.3.6.1.1.13.1").bool(true).octets(value);
    return new BerWriter().sequence(content);
  }

  /** A search of eight parts in a message of three and an id, with controls. */
  private static byte[] search(byte[]... values) {
    BerWriter search = new BerWriter().text("dc=example").enumerated(0).enumerated(0);
    search.integer(0).integer(0).bool(false).octets(0x87, "cn".getBytes(StandardCharsets.UTF_8));
    search.octets(BerReader.SEQUENCE, new byte[0]);
    BerWriter message = new BerWriter().integer(7).constructed(LdapTags.SEARCH_REQUEST, search);
    BerWriter controls = new BerWriter();
    for (byte[] value : values) {
      controls.raw(control(value).toByteArray());
    }
    return new BerWriter().sequence(message.constructed(LdapTags.CONTROLS, controls)).toByteArray();
  }

  private static byte[] extended(byte[] value) {
    BerWriter content = new BerWriter().octets(0x80, new byte[] {'1'}).octets(0x81, value);
    BerWriter message = new BerWriter().integer(7);
    return new BerWriter()
        .sequence(message.constructed(LdapTags.EXTENDED_REQUEST, content))
        .toByteArray();
  }

  private static RequestFootprint measured(byte[] message, int most) {
    RequestFootprint footprint = new RequestFootprint();
    footprint.measure(Unpooled.wrappedBuffer(message), 0, message.length, most);
    return footprint;
  }

  private static Request decoded(byte[] message, int elements) {
    return Objects.requireNonNull(
        RequestDecoder.direct(ServerLimits.DEFAULT)
            .decode(Unpooled.wrappedBuffer(message), 0, message.length, elements));
  }

  @Test
  void shouldCountTheElementsInTheValuesOfControls() {
    byte[] message = search(sequence(elements(1000)), sequence(elements(500)));

    RequestFootprint footprint = measured(message, PLENTY);

    assertThat(footprint.elements()).isEqualTo(SEARCH + 2 * 4 + 1001 + 501);
    assertThat(footprint.bytes()).isGreaterThan(1500L * 40);
    assertThat(measured(message, 600).elements()).isEqualTo(601);
    assertThat(RequestFootprint.elements(message.length, footprint.bytes()))
        .isEqualTo(footprint.elements());
  }

  @Test
  void shouldCountTheElementsInTheValueOfAnExtendedRequest() {
    assertThat(measured(extended(sequence(elements(1000))), PLENTY).elements()).isEqualTo(5 + 1001);
  }

  @Test
  void shouldLeaveToValuesWhatWasMeasuredForThem() throws InvalidBerException {
    byte[] message = search(sequence(elements(1000)), sequence(elements(500)));
    Request request = decoded(message, measured(message, PLENTY).elements());

    for (int i = 0; i < 2; i++) {
      for (int n = 0; n < 2; n++) {
        BerReader value = Objects.requireNonNull(request.controls().get(n).reader());
        assertThat(value.sequence().list(PLENTY, "values", BerReader::octets))
            .hasSize(n == 0 ? 1000 : 500);
      }
    }
    byte[] operation = extended(sequence(elements(700)));
    Request.Extended extended =
        (Request.Extended) decoded(operation, measured(operation, PLENTY).elements());
    BerReader value = Objects.requireNonNull(extended.reader());
    assertThat(value.sequence().list(PLENTY, "values", BerReader::octets)).hasSize(700);
  }

  /** An extension is skipped by readers, whatever it holds, and may look like something else. */
  @Test
  void shouldNotDecodeMoreThanWasMeasured() {
    byte[] misleading = {(byte) 0xa9, 6, 0x04, (byte) 0x84, 0x7f, (byte) 0xff, (byte) 0xff, 1};
    byte[] set = new BerWriter().octets(BerReader.SET, elements(10_000)).toByteArray();
    byte[] name = new BerWriter().text("cn").toByteArray();
    byte[] attribute = sequence(concat(name, set));
    byte[] kind = new BerWriter().enumerated(0).toByteArray();
    byte[] empty =
        sequence(concat(name, new BerWriter().octets(BerReader.SET, new byte[0]).toByteArray()));
    byte[] first = sequence(concat(kind, empty, misleading));
    byte[] changes = sequence(concat(first, sequence(concat(kind, attribute))));
    byte[] content = concat(new BerWriter().text("dc=example").toByteArray(), changes);
    BerWriter message = new BerWriter().integer(7).octets(LdapTags.MODIFY_REQUEST, content);
    byte[] pdu = new BerWriter().sequence(message).toByteArray();

    int elements = measured(pdu, PLENTY).elements();
    assertThat(elements).isLessThan(100);
    RequestDecoder decoder = RequestDecoder.direct(ServerLimits.DEFAULT);
    assertThat(decoder.decode(Unpooled.wrappedBuffer(pdu), 0, pdu.length, elements)).isNull();
    MalformedRequest problem = decoder.problem();
    assertThat(problem.result().code()).isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    assertThat(problem.isAnswerable()).isTrue();
  }

  @Test
  void shouldStepOverTagsOfSeveralOctets() {
    byte[] extension = {0x3f, (byte) 0x81, 0x01, 2, 0x04, 0x00};
    BerWriter message = new BerWriter().integer(7).octets(LdapTags.DELETE_REQUEST, new byte[0]);
    byte[] pdu = sequence(concat(message.toByteArray(), extension, elements(50)));

    assertThat(measured(pdu, PLENTY).elements()).isEqualTo(3 + 2 + 50);
  }

  private static byte[] concat(byte[]... parts) {
    byte[] all = new byte[0];
    for (byte[] part : parts) {
      byte[] longer = Arrays.copyOf(all, all.length + part.length);
      System.arraycopy(part, 0, longer, all.length, part.length);
      all = longer;
    }
    return all;
  }
}
