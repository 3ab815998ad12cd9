package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.directory.api.asn1.ber.Asn1Decoder;
import org.apache.directory.api.asn1.ber.tlv.TLVStateEnum;
import org.apache.directory.api.ldap.codec.api.LdapMessageContainer;
import org.apache.directory.api.ldap.codec.osgi.DefaultLdapCodecService;
import org.apache.directory.api.ldap.model.entry.Attribute;
import org.apache.directory.api.ldap.model.entry.Value;
import org.apache.directory.api.ldap.model.message.BindResponse;
import org.apache.directory.api.ldap.model.message.ExtendedResponse;
import org.apache.directory.api.ldap.model.message.Message;
import org.apache.directory.api.ldap.model.message.ResultResponse;
import org.apache.directory.api.ldap.model.message.SearchResultEntry;
import org.apache.directory.api.ldap.model.message.SearchResultReference;
import org.junit.jupiter.api.Test;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.netty.Pdus;
import org.nyala.netty.TestDirectory;

/** Messages written by hand, read by the Apache codec. */
final class EncoderTest {
  private final TestDirectory directory = new TestDirectory();
  private final ByteBuf target = PooledByteBufAllocator.DEFAULT.directBuffer(16);

  private Set<String> decodedControls = Set.of();
  private List<ResponseControl> controls = List.of();

  private Message decoded() throws Exception {
    LdapMessageContainer<Message> container =
        new LdapMessageContainer<>(new DefaultLdapCodecService(), _ -> true);
    container.setDnFactory(new RawDnFactory());
    ByteBuffer bytes = ByteBuffer.wrap(ByteBufUtil.getBytes(target));
    target.clear();
    Asn1Decoder.decode(bytes, container);
    assertThat(container.getState()).isEqualTo(TLVStateEnum.PDU_DECODED);
    assertThat(bytes.hasRemaining()).isFalse();
    decodedControls = container.getMessage().getControls().keySet();
    return container.getMessage();
  }

  private String entry(
      int id, String rdn, byte[] parent, int length, boolean typesOnly, String... names)
      throws Exception {
    EntryView view = new EntryView();
    byte[] record = TestDirectory.record(rdn, length);
    ByteBuffer direct = ByteBuffer.allocateDirect(record.length + 3);
    direct.put(3, record);
    view.wrap(1, direct, 3, parent);
    byte[] computed = Pdus.attribute("entryDN", "x");
    EntryEncoder.append(
        target,
        id,
        view,
        directory.table,
        directory.selection(typesOnly, names),
        names.length > 1 ? List.of(computed) : List.of(),
        ControlEncoder.encode(controls));
    SearchResultEntry entry = (SearchResultEntry) decoded();
    assertThat(entry.getMessageId()).isEqualTo(id);
    List<String> attributes = new ArrayList<>();
    for (Attribute attribute : entry.getEntry()) {
      StringBuilder text = new StringBuilder(attribute.getUpId());
      for (Value value : attribute) {
        int size = value.getBytes().length;
        text.append(
            size > 20 ? "=" + size : "=" + new String(value.getBytes(), StandardCharsets.UTF_8));
      }
      attributes.add(text.toString());
    }
    attributes.sort(null);
    return entry.getObjectName().getName() + " " + attributes;
  }

  @Test
  void shouldEncodeEntriesOfEverySize() throws Exception {
    try {
      for (int length : new int[] {21, 100, 200, 255, 256, 5000, 65_500, 66_000, 3_000_000}) {
        assertThat(entry(length, "uid=a", TestDirectory.PARENT, length, false))
            .isEqualTo(
                String.format(
                    Locale.ROOT,
                    "uid=a,ou=people,dc=example,dc=com [cn=one=two, description=%d, sn=three]",
                    length));
      }
    } finally {
      target.release();
    }
  }

  @Test
  void shouldSendSelectedAttributesOnly() throws Exception {
    try {
      assertThat(entry(1, "dc=a,dc=b", new byte[0], 30, false, "sn"))
          .isEqualTo("dc=a,dc=b [sn=three]");
      assertThat(entry(1, "uid=a", new byte[0], 30, false, "cn", "description", "userPassword"))
          .isEqualTo("uid=a [cn=one=two, description=30, entryDN=x]");
      assertThat(entry(1, "uid=a", new byte[0], 30, false, "*", "+"))
          .isEqualTo("uid=a [cn=one=two, description=30, entryDN=x, entryUUID=0-1-2-3, sn=three]");
      assertThat(entry(1, "uid=a", new byte[0], 30, false, "1.1")).isEqualTo("uid=a []");
      assertThat(entry(1, "uid=a", new byte[0], 30_000, true, "*", "+"))
          .isEqualTo("uid=a [cn, description, entryDN, entryUUID, sn]");
    } finally {
      target.release();
    }
  }

  private static final List<ResponseControl> CONTROLS =
      List.of(
          new ResponseControl("1.2.3", new byte[0]),
          new ResponseControl("1.2.840.99", null),
          new ResponseControl("1.2.4", new byte[60_000]));

  /** Returns the controls with which the message of {@link #CONTROLS} must end. */
  private static byte[] encodedControls() {
    return Pdus.element(
        0xa0,
        Pdus.element(0x30, Pdus.text("1.2.3"), Pdus.text("")),
        Pdus.element(0x30, Pdus.text("1.2.840.99")),
        Pdus.element(0x30, Pdus.text("1.2.4"), Pdus.element(0x04, new byte[60_000])));
  }

  private void assertMessage(int id, byte[] op, byte[] end) {
    assertThat(ByteBufUtil.getBytes(target)).isEqualTo(Pdus.message(id, op, end));
    target.clear();
  }

  @Test
  void shouldSendControlsWithEveryKindOfResponse() {
    try {
      LdapResult done = LdapResult.SUCCESS.with(CONTROLS);
      byte[][] result = {Pdus.number(0x0a, 0), Pdus.text(""), Pdus.text("")};
      ResultEncoder.result(target, 5, LdapTags.SEARCH_RESULT_DONE, done);
      assertMessage(5, Pdus.element(0x65, result), encodedControls());
      ResultEncoder.bind(target, 300, done, null);
      assertMessage(300, Pdus.element(0x61, result), encodedControls());
      ResultEncoder.extended(target, 5, done, "1.2", null);
      byte[] name = Pdus.element(0x8a, "1.2".getBytes(StandardCharsets.US_ASCII));
      assertMessage(
          5, Pdus.element(0x78, result[0], result[1], result[2], name), encodedControls());
      ResultEncoder.reference(target, 5, List.of("ldap://a/dc=x"), CONTROLS);
      assertMessage(5, Pdus.element(0x73, Pdus.text("ldap://a/dc=x")), encodedControls());
    } finally {
      target.release();
    }
  }

  @Test
  void shouldSendControlsWithEntries() throws Exception {
    try {
      for (boolean typesOnly : new boolean[] {false, true}) {
        controls = List.of();
        String plain = entry(7, "uid=a", TestDirectory.PARENT, 300, typesOnly, "*", "+");
        controls = CONTROLS;
        assertThat(entry(7, "uid=a", TestDirectory.PARENT, 300, typesOnly, "*", "+"))
            .isEqualTo(plain);
        assertThat(decodedControls).containsExactlyInAnyOrder("1.2.3", "1.2.840.99", "1.2.4");
      }
    } finally {
      target.release();
    }
  }

  @Test
  void shouldEncodeIntermediateResponses() {
    try {
      byte[] name = Pdus.element(0x80, "1.2.3".getBytes(StandardCharsets.US_ASCII));
      byte[] value = Pdus.element(0x81, new byte[300]);
      ResultEncoder.intermediate(target, 9, "1.2.3", new byte[300]);
      assertMessage(9, Pdus.element(0x79, name, value), new byte[0]);
      ResultEncoder.intermediate(target, 9, "1.2.3", null);
      assertMessage(9, Pdus.element(0x79, name), new byte[0]);
      ResultEncoder.intermediate(target, 9, null, null);
      assertMessage(9, Pdus.element(0x79), new byte[0]);
    } finally {
      target.release();
    }
  }

  @Test
  void shouldEncodeEveryResultCode() {
    try {
      for (ResultCode code : ResultCode.values()) {
        ResultEncoder.result(target, 1, LdapTags.DELETE_RESPONSE, LdapResult.of(code, "why"));
        byte[] number = BigInteger.valueOf(code.code()).toByteArray();
        byte[] result =
            Pdus.element(0x6b, Pdus.element(0x0a, number), Pdus.text(""), Pdus.text("why"));
        assertMessage(1, result, new byte[0]);
      }
    } finally {
      target.release();
    }
  }

  @Test
  void shouldEncodeResults() throws Exception {
    try {
      LdapResult result =
          new LdapResult(
              ResultCode.REFERRAL,
              "dc=é",
              "elsewhere",
              List.of("ldap://a/dc=x", "ldap://b/" + "dc=y,".repeat(60) + "dc=z"));
      for (int tag :
          new int[] {
            LdapTags.SEARCH_RESULT_DONE,
            LdapTags.ADD_RESPONSE,
            LdapTags.DELETE_RESPONSE,
            LdapTags.MODIFY_RESPONSE,
            LdapTags.MODIFY_DN_RESPONSE,
            LdapTags.COMPARE_RESPONSE
          }) {
        ResultEncoder.result(target, Integer.MAX_VALUE, tag, result);
        assertThat(target.readableBytes()).isGreaterThan(300);
        ResultResponse response = (ResultResponse) decoded();
        assertThat(response.getMessageId()).isEqualTo(Integer.MAX_VALUE);
        assertThat(response.getLdapResult().getResultCode().getResultCode()).isEqualTo(10);
        assertThat(response.getLdapResult().getDiagnosticMessage()).isEqualTo("elsewhere");
        assertThat(response.getLdapResult().getReferral().getLdapUrls())
            .containsExactlyInAnyOrderElementsOf(result.referrals());
      }
      // The codec looks at the matched DN with a few codes only.
      LdapResult missing = new LdapResult(ResultCode.NO_SUCH_OBJECT, "dc=é", "", List.of());
      ResultEncoder.result(target, 128, LdapTags.SEARCH_RESULT_DONE, missing);
      ResultResponse nothing = (ResultResponse) decoded();
      assertThat(nothing.getMessageId()).isEqualTo(128);
      assertThat(nothing.getLdapResult().getMatchedDn().getName()).isEqualTo("dc=é");
      ResultEncoder.bind(target, 3, LdapResult.SUCCESS, new byte[] {5});
      assertThat(((BindResponse) decoded()).getServerSaslCreds()).containsExactly(5);
      ResultEncoder.noticeOfDisconnection(target, LdapResult.of(ResultCode.UNAVAILABLE, "bye"));
      ExtendedResponse notice = (ExtendedResponse) decoded();
      assertThat(notice.getMessageId()).isZero();
      assertThat(notice.getResponseName()).isEqualTo("1.3.6.1.4.1.1466.20036");
      ResultEncoder.reference(target, 300, List.of("ldap://a/dc=x"), List.of());
      assertThat(((SearchResultReference) decoded()).getReferral().getLdapUrls())
          .containsExactly("ldap://a/dc=x");
      ResultEncoder.extended(target, 9, LdapResult.SUCCESS, null, new byte[] {1, 2});
      assertThat(ByteBufUtil.getBytes(target))
          .isEqualTo(
              Pdus.message(
                  9,
                  Pdus.element(
                      0x78,
                      Pdus.number(0x0a, 0),
                      Pdus.text(""),
                      Pdus.text(""),
                      Pdus.element(0x8b, new byte[] {1, 2}))));
    } finally {
      target.release();
    }
  }
}
