package org.nyala.loadtest.ldap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.LDAPMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PatternRequestTest {
  private static LDAPMessage parse(ByteBuf out) throws Exception {
    return LDAPMessage.readFrom(new ASN1StreamReader(new ByteBufInputStream(out)), true);
  }

  /** The compiled request is the one of the text that the placeholders stand for. */
  @Test
  void shouldWriteTheRequestOfTheText() throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    List<Function<String, byte[]>> requests =
        List.of(
            text -> Pdu.bind("cn=" + text + ",o=x", text),
            text -> Pdu.compare(text, "cn", text + text),
            text -> Pdu.delete("cn=" + text),
            text -> Pdu.rename("cn=a" + text, "cn=" + text),
            text -> Pdu.equalitySearch(text, "cn", "x" + text),
            text -> Pdu.search("o=" + text, new byte[] {1}, Pdu.equality("a", text), text, "b"),
            text -> Pdu.add("o=" + text, Pdu.attribute("o", text, "y"), Pdu.attribute("p", text)),
            text -> Pdu.modify("o=x", Pdu.change(0, "o", text), Pdu.change(1, "p", "z" + text)));
    for (int i = 0; i < 2_000; i++) {
      String value = "é".repeat(random.nextInt(random.nextInt(5) == 0 ? 9_000 : 40)) + i;
      Placeholder placeholder = (target, _, _) -> target.writeCharSequence(value, UTF_8);
      for (Function<String, byte[]> request :
          random.nextInt(50) == 0 ? requests : some(requests, i)) {
        PatternRequest.Placeholders placeholders = new PatternRequest.Placeholders();
        Request compiled = placeholders.request(request.apply(placeholders.mark(placeholder)));
        ByteBuf out = Unpooled.buffer();
        out.writeZero(3);
        compiled.write(out, 0x12345, 7, 0, i);
        out.readerIndex(3);
        LDAPMessage message = parse(out);
        assertThat(message.getMessageID()).isEqualTo(0x12345);
        assertThat(message.getProtocolOp().toString())
            .isEqualTo(
                parse(Unpooled.wrappedBuffer(request.apply(value))).getProtocolOp().toString());
      }
    }
  }

  private static List<Function<String, byte[]>> some(
      List<Function<String, byte[]>> all, int number) {
    return new ArrayList<>(List.of(all.get(number % all.size())));
  }

  @Test
  void shouldPutInStampsAndWholeElements() throws Exception {
    PatternRequest.Placeholders placeholders = new PatternRequest.Placeholders();
    Placeholder filter =
        new Placeholder() {
          @Override
          public void write(ByteBuf target, int person, long operation) {
            target.writeBytes(Filters.encode("(cn=" + person + "." + operation + ")"));
          }

          @Override
          public boolean isElement() {
            return true;
          }
        };
    byte[] marked = Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(placeholders.mark(filter)));
    Request request =
        placeholders.request(Pdu.search("o=" + placeholders.stamp(), new byte[] {2}, marked, "cn"));
    ByteBuf out = Unpooled.buffer();
    request.write(out, Pdu.FIRST_MESSAGE_ID, 3, 42, 5);

    assertThat(parse(out).getSearchRequestProtocolOp().getFilter().toString())
        .isEqualTo("(cn=3.5)");
    assertThat(parse(out.readerIndex(0)).getSearchRequestProtocolOp().getBaseDN())
        .isEqualTo("o=000000000042");
  }

  @Test
  void shouldWriteNumbersWithZeros() {
    ByteBuf out = Unpooled.buffer();
    PatternRequest.digits(out, 0, 1);
    PatternRequest.digits(out, -70, 3);
    PatternRequest.digits(out, 123_456_789_012L, 2);
    assertThat(out.toString(UTF_8)).isEqualTo("0-070123456789012");
  }
}
