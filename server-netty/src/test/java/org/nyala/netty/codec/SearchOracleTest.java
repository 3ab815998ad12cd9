package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.directory.api.asn1.DecoderException;
import org.apache.directory.api.asn1.ber.Asn1Decoder;
import org.apache.directory.api.asn1.ber.tlv.TLVStateEnum;
import org.apache.directory.api.ldap.codec.api.LdapMessageContainer;
import org.apache.directory.api.ldap.model.filter.AndNode;
import org.apache.directory.api.ldap.model.filter.ApproximateNode;
import org.apache.directory.api.ldap.model.filter.BranchNode;
import org.apache.directory.api.ldap.model.filter.EqualityNode;
import org.apache.directory.api.ldap.model.filter.ExprNode;
import org.apache.directory.api.ldap.model.filter.ExtensibleNode;
import org.apache.directory.api.ldap.model.filter.GreaterEqNode;
import org.apache.directory.api.ldap.model.filter.LessEqNode;
import org.apache.directory.api.ldap.model.filter.NotNode;
import org.apache.directory.api.ldap.model.filter.OrNode;
import org.apache.directory.api.ldap.model.filter.PresenceNode;
import org.apache.directory.api.ldap.model.filter.SimpleNode;
import org.apache.directory.api.ldap.model.filter.SubstringNode;
import org.apache.directory.api.ldap.model.message.Message;
import org.apache.directory.api.ldap.model.message.SearchRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.message.Request;
import org.nyala.netty.Pdus;
import org.nyala.netty.codec.RequestDecoder.ApacheReader;

/** Compares requests read by hand with those read by the Apache codec. */
final class SearchOracleTest {
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final RequestDecoder decoder = Codec.DIRECT.decoder();
  private final LdapMessageContainer<Message> container =
      new LdapMessageContainer<>(ApacheReader.service(), _ -> true);

  private String refusal = "";

  SearchOracleTest() {
    container.setDnFactory(new RawDnFactory());
  }

  @Test
  void shouldReadRandomSearchesLikeTheCodec() {
    for (int i = 0; i < 20_000; i++) {
      byte[] pdu = randomSearch();
      Request ours = decode(pdu);
      String theirs = codec(pdu);
      assertThat(ours).as("seed %d", seed).isNotNull();
      if (theirs == null) {
        // The codec rejects (!(a<=b)), which RFC 4511 allows.
        assertThat(refusal).as("seed %d", seed).contains("<NOT_STATE> to state <LESS_OR_EQUAL");
      } else {
        assertThat(theirs).as("seed %d", seed).isEqualTo(describe((Request.Search) ours));
      }
    }
  }

  @Test
  void shouldReadMutatedSearchesLikeTheCodecWhereBothAccept() {
    int both = 0;
    int ours = 0;
    int alike = 0;
    for (int i = 0; i < 60_000; i++) {
      byte[] pdu = randomSearch();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        int at = random.nextInt(pdu.length);
        pdu[at] =
            (byte) (random.nextBoolean() ? pdu[at] ^ 1 << random.nextInt(8) : random.nextInt());
      }
      Request request = decode(pdu);
      String theirs = codec(pdu);
      if (request instanceof Request.Search search) {
        ours++;
        if (theirs != null && theirs.indexOf('\ufffd') < 0 && !theirs.contains("efbfbd")) {
          both++;
          assertThat(withoutLists(describe(search)))
              .as("seed %d", seed)
              .isEqualTo(withoutLists(theirs));
          alike += describe(search).equals(theirs) ? 1 : 0;
        }
      }
    }
    assertThat(both)
        .as("mutations that both accept, of %d, seed %d", ours, seed)
        .isGreaterThan(1000);
    assertThat(both - alike).as("seed %d", seed).isLessThan(both / 50);
  }

  /**
   * Returns a search without the attributes that it asks for and the pieces of its substring
   * filters. The codec takes elements after these lists for more of them; they are additions of a
   * later version (RFC 4511, section 4).
   */
  private static String withoutLists(String search) {
    return search
        .replaceAll("=[0-9a-f]*\\*[0-9a-f*]*\\)", "=*..*)")
        .replaceFirst("\\[.*?\\] \\(", "[] (");
  }

  private @Nullable Request decode(byte[] pdu) {
    ByteBuf bytes = Unpooled.wrappedBuffer(pdu);
    Request request = decoder.decode(bytes, 0, pdu.length, pdu.length);
    if (request == null) {
      assertThat(decoder.problem().result().message()).as("seed %d", seed).isNotEmpty();
    }
    return request;
  }

  private @Nullable String codec(byte[] pdu) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(pdu);
      Asn1Decoder.decode(bytes, container);
      if (container.getState() == TLVStateEnum.PDU_DECODED
          && !bytes.hasRemaining()
          && container.getMessage() instanceof SearchRequest search) {
        return describe(search);
      }
      return null;
    } catch (DecoderException | RuntimeException e) {
      refusal = String.valueOf(e.getMessage());
      return null;
    } finally {
      container.clean();
    }
  }

  private static String describe(Request.Search search) {
    return String.format(
        Locale.ROOT,
        "%d %s %d %d %d %d %s %s %s",
        search.messageId(),
        search.base(),
        search.scope().code(),
        (search.derefAliases().searching() ? 1 : 0) + (search.derefAliases().findingBase() ? 2 : 0),
        search.sizeLimit(),
        search.timeLimitSeconds(),
        search.typesOnly(),
        trimmed(search.attributes()),
        RequestDecoderTest.Filters.toString(search.filter()));
  }

  private static String describe(SearchRequest search) {
    return String.format(
        Locale.ROOT,
        "%d %s %d %d %d %d %s %s %s",
        search.getMessageId(),
        search.getBase().getName(),
        search.getScope().getScope(),
        search.getDerefAliases().getValue(),
        search.getSizeLimit(),
        search.getTimeLimit(),
        search.getTypesOnly(),
        trimmed(search.getAttributes()),
        describe(search.getFilter()));
  }

  private static String describe(ExprNode node) {
    return switch (node) {
      case AndNode and -> list("&", and);
      case OrNode or -> list("|", or);
      case NotNode not -> "(!" + describe(not.getFirstChild()) + ")";
      case PresenceNode f -> "(" + f.getAttribute() + "=*)";
      case SubstringNode f -> substrings(f);
      case ExtensibleNode f ->
          "("
              + (f.getAttribute() == null ? "" : f.getAttribute())
              + (f.hasDnAttributes() ? ":dn" : "")
              + (f.getMatchingRuleId() == null ? "" : ":" + f.getMatchingRuleId())
              + ":="
              + RequestDecoderTest.Filters.hex(f.getValue().getBytes())
              + ")";
      case EqualityNode<?> f -> simple(f, "=");
      case GreaterEqNode<?> f -> simple(f, ">=");
      case LessEqNode<?> f -> simple(f, "<=");
      case ApproximateNode<?> f -> simple(f, "~=");
      default -> throw new AssertionError(node.getClass());
    };
  }

  private static String simple(SimpleNode<?> node, String operator) {
    return "("
        + node.getAttribute()
        + operator
        + RequestDecoderTest.Filters.hex(node.getValue().getBytes())
        + ")";
  }

  private static String substrings(SubstringNode node) {
    StringBuilder text = new StringBuilder("(" + node.getAttribute() + "=");
    text.append(node.getInitial() == null ? "" : hex(node.getInitial())).append('*');
    node.getAny().forEach(piece -> text.append(hex(piece)).append('*'));
    return text.append(node.getFinal() == null ? "" : hex(node.getFinal())).append(')').toString();
  }

  private static String hex(String text) {
    return RequestDecoderTest.Filters.hex(Pdus.utf8(text));
  }

  private static String list(String operator, BranchNode node) {
    StringBuilder text = new StringBuilder("(" + operator);
    node.getChildren().forEach(child -> text.append(describe(child)));
    return text.append(')').toString();
  }

  /** The codec trims names and drops empty and repeated ones. */
  private static List<String> trimmed(List<String> names) {
    return names.stream().map(String::trim).filter(name -> !name.isEmpty()).distinct().toList();
  }

  private byte[] randomSearch() {
    String[] names = new String[random.nextInt(4)];
    for (int i = 0; i < names.length; i++) {
      names[i] = word();
    }
    return Pdus.message(
        1 + random.nextInt(Integer.MAX_VALUE - 1) >>> random.nextInt(30) | 1,
        Pdus.element(
            LdapTags.SEARCH_REQUEST,
            Pdus.text(random.nextInt(5) == 0 ? "" : "dc=" + word()),
            Pdus.number(LdapTags.ENUMERATED, random.nextInt(3)),
            Pdus.number(LdapTags.ENUMERATED, random.nextInt(4)),
            Pdus.number(LdapTags.INTEGER, random.nextInt() >>> 1 + random.nextInt(30)),
            Pdus.number(LdapTags.INTEGER, random.nextInt() >>> 1 + random.nextInt(30)),
            Pdus.bool(random.nextBoolean()),
            filter(0),
            Pdus.names(names)));
  }

  private byte[] filter(int depth) {
    int kind = random.nextInt(depth > 4 ? 6 : 10);
    return switch (kind) {
      case 0 -> Pdus.present(word());
      case 1 -> Pdus.element(0xa5, Pdus.text(word()), Pdus.text(word()));
      case 2 -> Pdus.element(0xa6, Pdus.text(word()), Pdus.text(word()));
      case 3 -> Pdus.element(0xa8, Pdus.text(word()), Pdus.text(word()));
      case 4 ->
          Pdus.element(
              0xa4,
              Pdus.text(word()),
              Pdus.element(
                  0x30,
                  optional(0x80),
                  Pdus.element(0x81, Pdus.utf8(word())),
                  optional(0x81),
                  optional(0x82)));
      case 5, 6 -> Pdus.equality(word(), word());
      case 7 -> Pdus.element(0xa2, filter(depth + 1));
      case 8 -> Pdus.element(0xa0, filter(depth + 1), filter(depth + 1));
      default -> Pdus.element(0xa1, filter(depth + 1));
    };
  }

  private byte[] optional(int tag) {
    return random.nextBoolean() ? Pdus.element(tag, Pdus.utf8(word())) : new byte[0];
  }

  private String word() {
    StringBuilder word = new StringBuilder();
    for (int length = 1 + random.nextInt(8); length > 0; length--) {
      word.append((char) ('a' + random.nextInt(26)));
    }
    if (random.nextInt(200) == 0) {
      word.append("long".repeat(40));
    }
    return word.toString();
  }
}
