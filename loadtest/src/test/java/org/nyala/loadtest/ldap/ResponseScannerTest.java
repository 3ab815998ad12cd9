package org.nyala.loadtest.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.protocol.SearchResultReferenceProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ResponseScannerTest {
  private static final int ID = 0x12345;

  private final List<String> found = new ArrayList<>();
  private final ResponseScanner scanner = new ResponseScanner(new Recording());

  private final class Recording implements ResponseScanner.Listener {
    @Override
    public boolean expects(int messageId) {
      return messageId == ID;
    }

    @Override
    public void entry(ByteBuf in, int dnStart, int dnEnd, int attributesStart, int attributesEnd) {
      found.add(in.toString(dnStart, dnEnd - dnStart, StandardCharsets.UTF_8));
      assertThat(attributesEnd).isBetween(attributesStart, in.capacity());
    }

    @Override
    public void control(BerCursor name, BerCursor value) {
      found.add(name.text() + (value.isAtEnd() ? "" : " " + value.next(Pdu.SEQUENCE)));
    }

    @Override
    public void intermediate(BerCursor name, BerCursor value) {
      found.add(name.text() + (value.isAtEnd() ? "" : " " + value.next(Pdu.SEQUENCE)) + " between");
    }

    @Override
    public void responseValue(BerCursor value) {
      found.add("value " + value.next(Pdu.SEQUENCE));
    }

    @Override
    public void serverCredentials(BerCursor value) {
      found.add("credentials " + value.text());
    }

    @Override
    public void result(int messageId, int tag, int resultCode) {
      found.add(Integer.toHexString(tag) + " " + resultCode);
    }
  }

  private static byte[] conversation() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int size : new int[] {1, 120, 300, 70_000}) {
      out.writeBytes(
          encode(
              new SearchResultEntryProtocolOp(
                  "uid=user." + size + ",ou=People",
                  List.of(new Attribute("description", "d".repeat(size))))));
    }
    out.writeBytes(encode(new SearchResultReferenceProtocolOp(List.of("ldap://elsewhere/"))));
    out.writeBytes(encode(new SearchResultEntryProtocolOp("o=" + "n".repeat(200), List.of())));
    out.writeBytes(encode(new SearchResultDoneProtocolOp(4, null, "enough", null)));
    out.writeBytes(answerWithControls());
    out.writeBytes(entryWithControls());
    out.writeBytes(intermediate("1.2.3", null));
    out.writeBytes(intermediate(null, new ASN1OctetString("unnamed")));
    out.writeBytes(intermediate("1.2.4", new ASN1OctetString(new ASN1Sequence().encode())));
    out.writeBytes(encode(new SearchResultDoneProtocolOp(4096, null, "again", null)));
    out.writeBytes(extendedAnswer());
    out.writeBytes(encode(new ExtendedResponseProtocolOp(2, null, "no", null, null, null)));
    out.writeBytes(
        encode(new BindResponseProtocolOp(49, null, "no", null, new ASN1OctetString("x"))));
    out.writeBytes(
        encode(
            new BindResponseProtocolOp(
                14, "dc=x", null, List.of("ldap://elsewhere/"), new ASN1OctetString("y"))));
    out.writeBytes(encode(new BindResponseProtocolOp(0, null, null, null, null)));
    return out.toByteArray();
  }

  private static byte[] answerWithControls() {
    return new LDAPMessage(
            ID,
            new SearchResultDoneProtocolOp(0, null, null, null),
            new Control("1.2.3"),
            new Control("1.2.4", true),
            new SimplePagedResultsControl(7, new ASN1OctetString("c".repeat(200)), true))
        .encode()
        .encode();
  }

  private static byte[] entryWithControls() {
    return new LDAPMessage(
            ID, new SearchResultEntryProtocolOp("o=state", List.of()), new Control("1.2.5"))
        .encode()
        .encode();
  }

  private static byte[] intermediate(String name, ASN1OctetString value) {
    return encode(new IntermediateResponseProtocolOp(name, value));
  }

  private static byte[] extendedAnswer() {
    return encode(
        new ExtendedResponseProtocolOp(
            0,
            "dc=x",
            "m",
            List.of("ldap://elsewhere/"),
            "1.2.3",
            new ASN1OctetString(new ASN1Sequence(new ASN1Integer(7)).encode())));
  }

  private static byte[] encode(com.unboundid.ldap.protocol.ProtocolOp op) {
    return new LDAPMessage(ID, op).encode().encode();
  }

  private static final String[] EXPECTED = {
    "uid=user.1,ou=People",
    "uid=user.120,ou=People",
    "uid=user.300,ou=People",
    "uid=user.70000,ou=People",
    "o=" + "n".repeat(200),
    "65 4",
    "1.2.3",
    "1.2.4",
    "1.2.840.113556.1.4.319 true",
    "65 0",
    "1.2.5",
    "o=state",
    "1.2.3 between",
    "1.2.4 true between",
    "65 4096",
    "value true",
    "78 0",
    "78 2",
    "credentials x",
    "61 49",
    "credentials y",
    "61 14",
    "61 0"
  };

  @Test
  void shouldReportEveryMessage() {
    ByteBuf in = Unpooled.wrappedBuffer(conversation());

    assertThat(scanner.scan(in)).isTrue();

    assertThat(found).containsExactly(EXPECTED);
    assertThat(in.isReadable()).isFalse();
  }

  @Test
  void shouldReportTheSameWhereverTheBytesAreSplit() {
    byte[] all = conversation();
    for (int split = 0; split <= all.length; split += split < 1500 || split > 70_600 ? 1 : 97) {
      found.clear();
      ByteBuf in = Unpooled.buffer(all.length).writeBytes(all, 0, split);
      assertThat(scanner.scan(in)).as("split at %d", split).isTrue();
      if (in.isReadable()) {
        int missing = scanner.missing(in);
        assertThat(missing).isBetween(1, all.length - split);
      }
      in.writeBytes(all, split, all.length - split);
      assertThat(scanner.scan(in)).as("split at %d", split).isTrue();
      assertThat(found).as("split at %d", split).containsExactly(EXPECTED);
    }
  }

  @Test
  void shouldRejectAnswersToOtherRequests() {
    byte[] other =
        new LDAPMessage(ID + 1, new SearchResultDoneProtocolOp(0, null, null, null))
            .encode()
            .encode();

    assertThat(scanner.scan(Unpooled.wrappedBuffer(other))).isFalse();
    assertThat(found).isEmpty();
  }

  @Test
  void shouldSurviveMutatedAnswers() {
    long seed = Long.getLong("test.seed", 4711);
    SplittableRandom random = new SplittableRandom(seed);
    byte[] all = conversation();
    byte[] withControls = answerWithControls();
    byte[] extended = extendedAnswer();
    int rejected = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] mutated =
          switch (random.nextInt(5)) {
            case 0 -> Arrays.copyOf(all, 1 + random.nextInt(700));
            case 1 -> withControls.clone();
            case 2 -> entryWithControls();
            case 3 -> intermediate("1.2.4", new ASN1OctetString("value"));
            default -> extended.clone();
          };
      for (int change = random.nextInt(4); change >= 0; change--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
      }
      ByteBuf in = Unpooled.wrappedBuffer(mutated);
      try {
        if (!scanner.scan(in)) {
          rejected++;
        }
        assertThat(in.readerIndex()).isLessThanOrEqualTo(in.writerIndex());
      } catch (RuntimeException e) {
        throw new AssertionError("round " + round + ", -Dtest.seed=" + seed, e);
      }
    }
    assertThat(rejected).as("-Dtest.seed=%d", seed).isPositive();
  }
}
