package org.nyala.netty.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.netty.Pdus.bool;
import static org.nyala.netty.Pdus.concat;
import static org.nyala.netty.Pdus.element;
import static org.nyala.netty.Pdus.message;
import static org.nyala.netty.Pdus.number;
import static org.nyala.netty.Pdus.present;
import static org.nyala.netty.Pdus.searchOperation;
import static org.nyala.netty.Pdus.text;
import static org.nyala.netty.Pdus.utf8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.ber.BerReader;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.netty.Pdus;

@ParameterizedClass
@EnumSource(Codec.class)
final class RequestDecoderTest {
  private final RequestDecoder decoder;

  RequestDecoderTest(Codec codec) {
    decoder = codec.decoder();
  }

  private Request decode(byte[] pdu) {
    ByteBuf bytes = Unpooled.wrappedBuffer(pdu);
    Request request = decoder.decode(bytes, 0, pdu.length, pdu.length);
    assertThat(request).as("problem").isNotNull();
    return request;
  }

  private MalformedRequest problem(byte[] pdu) {
    ByteBuf bytes = Unpooled.wrappedBuffer(pdu);
    assertThat(decoder.decode(bytes, 0, pdu.length, pdu.length)).isNull();
    return decoder.problem();
  }

  @Test
  void shouldDecodeSearch() {
    byte[] filter =
        element(
            0xa0,
            Pdus.equality("uid", "jo"),
            element(0xa2, present("sn")),
            element(0xa1),
            element(0xa0),
            element(
                0xa4,
                text("cn"),
                element(
                    0x30,
                    element(0x80, utf8("a")),
                    element(0x81, utf8("b")),
                    element(0x82, utf8("c")))),
            element(
                0xa9,
                element(0x81, utf8("caseIgnoreMatch")),
                element(0x82, utf8("cn")),
                element(0x83, utf8("v")),
                element(0x84, new byte[] {-1})));
    Request.Search search =
        (Request.Search)
            decode(
                message(
                    7,
                    searchOperation("dc=é", 1, 5, filter, "cn", "+"),
                    element(0xa0, Pdus.control("1.2.3", true, new byte[] {1, 2}))));
    assertThat(search.messageId()).isEqualTo(7);
    assertThat(search.base()).isEqualTo("dc=é");
    assertThat(search.scope()).isEqualTo(Scope.ONE_LEVEL);
    assertThat(search.derefAliases()).isEqualTo(DerefAliases.NEVER);
    assertThat(search.sizeLimit()).isEqualTo(5);
    assertThat(search.attributes()).containsExactly("cn", "+");
    assertThat(search.controls()).hasSize(1);
    assertThat(search.controls().getFirst().oid()).isEqualTo("1.2.3");
    assertThat(search.controls().getFirst().critical()).isTrue();
    assertThat(search.controls().getFirst().value()).containsExactly(1, 2);
    assertThat(Filters.toString(search.filter()))
        .isEqualTo("(&(uid=6a6f)(!(sn=*))(|)(&)(cn=61*62*63)(cn:dn:caseIgnoreMatch:=76))");
  }

  @Test
  void shouldDecodeEveryOtherRequest() {
    Request.Bind bind = (Request.Bind) decode(Pdus.bind(1, "cn=a", "pw"));
    assertThat(bind.version()).isEqualTo(3);
    assertThat(bind.saslMechanism()).isNull();
    assertThat(bind.credentials()).isEqualTo(utf8("pw"));
    Request.Bind sasl =
        (Request.Bind)
            decode(
                message(
                    1,
                    element(
                        0x60, number(2, 3), text(""), element(0xa3, text("PLAIN"), text("x")))));
    assertThat(sasl.saslMechanism()).isEqualTo("PLAIN");
    assertThat(decode(Pdus.unbind(2))).isEqualTo(new Request.Unbind(2, List.of()));
    assertThat(decode(Pdus.abandon(3, 300))).isEqualTo(new Request.Abandon(3, 300, List.of()));
    assertThat(decode(message(4, element(0x4a, utf8("cn=x,dc=é")))))
        .isEqualTo(new Request.Delete(4, "cn=x,dc=é", List.of()));
    Request.Compare compare =
        (Request.Compare)
            decode(message(5, element(0x6e, text("cn=a"), element(0x30, text("cn"), text("v")))));
    assertThat(compare.attribute()).isEqualTo("cn");
    assertThat(compare.value()).isEqualTo(utf8("v"));
    assertThat(
            decode(
                message(
                    6,
                    element(
                        0x6c,
                        text("cn=a,dc=x"),
                        text("cn=b+sn=c"),
                        bool(true),
                        element(0x80, utf8("dc=y"))))))
        .isEqualTo(new Request.ModifyDn(6, "cn=a,dc=x", "cn=b+sn=c", true, "dc=y", List.of()));
    Request.Extended extended =
        (Request.Extended)
            decode(
                message(
                    8,
                    element(
                        0x77,
                        element(0x80, utf8("1.3.6.1.4.1.4203.1.11.1")),
                        element(0x81, new byte[] {0x30, 0}))));
    assertThat(extended.oid()).isEqualTo("1.3.6.1.4.1.4203.1.11.1");
    assertThat(extended.value()).containsExactly(0x30, 0);
    Request.Extended bare =
        (Request.Extended)
            decode(message(9, element(0x77, element(0x80, utf8("1.3.6.1.4.1.4203.1.11.3")))));
    assertThat(bare.value()).isNull();
  }

  @Test
  void shouldRefuseTextsThatAreLongerThanAnyName() {
    String longest = "cn=" + "x".repeat(BerReader.LONGEST_TEXT_BYTES - 3);
    assertThat(((Request.Delete) decode(message(1, element(0x4a, utf8(longest))))).name())
        .isEqualTo(longest);
    for (byte[] operation :
        List.of(
            element(0x4a, utf8(longest + 'x')),
            element(0x6e, text("cn=x"), element(0x30, text(longest + 'x'), text("v"))),
            element(0x60, number(2, 3), text(longest + "é"), element(0x80, utf8("p"))),
            searchOperation("", 0, 0, present(longest + 'x'), "cn"))) {
      assertThat(problem(message(1, operation)).result().code())
          .isEqualTo(ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
  }

  @Test
  void shouldDecodeWhatTheCodecRefuses() {
    Request.Compare compare =
        (Request.Compare)
            decode(message(1, element(0x6e, text(""), element(0x30, text("cn"), text("v")))));
    assertThat(compare.name()).isEmpty();
    assertThat(decode(message(2, element(0x66, text("cn=a"), element(0x30)))))
        .isEqualTo(new Request.Modify(2, "cn=a", List.of(), List.of()));
    byte[] toTheTop =
        element(0x6c, text("cn=a,dc=x"), text("cn=b"), bool(false), element(0x80, utf8("")));
    assertThat(decode(message(3, toTheTop)))
        .isEqualTo(new Request.ModifyDn(3, "cn=a,dc=x", "cn=b", false, "", List.of()));
    byte[] stayingThere = element(0x6c, text("cn=a,dc=x"), text("cn=b"), bool(true));
    assertThat(decode(message(4, stayingThere)))
        .isEqualTo(new Request.ModifyDn(4, "cn=a,dc=x", "cn=b", true, null, List.of()));
  }

  @Test
  void shouldLeaveItToTheDirectoryWhetherTheRootDseCanBeAddedOrDeleted() throws Exception {
    assertThat(decode(message(1, element(0x4a)))).isEqualTo(new Request.Delete(1, "", List.of()));
    assertThat(decode(message(2, element(0x68, text(""), element(0x30)))))
        .isEqualTo(new Request.Add(2, "", List.of(), List.of()));
  }

  @Test
  void shouldKeepDuplicatesAndOrderOfAddAndModify() {
    Request.Add add =
        (Request.Add)
            decode(
                message(
                    1,
                    element(
                        0x68,
                        text("cn=a"),
                        element(
                            0x30,
                            Pdus.attribute("cn", "a", "a"),
                            Pdus.attribute("sn", "z"),
                            Pdus.attribute("CN", "b")))));
    assertThat(add.attributes())
        .extracting(Request.AttributeValues::attribute)
        .containsExactly("cn", "sn", "CN");
    assertThat(add.attributes().getFirst().values()).containsExactly(utf8("a"), utf8("a"));
    Request.Modify modify =
        (Request.Modify)
            decode(
                message(
                    2,
                    element(
                        0x66,
                        text("cn=a"),
                        element(
                            0x30,
                            element(0x30, number(0x0a, 2), Pdus.attribute("cn", "b", "b")),
                            element(0x30, number(0x0a, 1), Pdus.attribute("sn"))))));
    assertThat(modify.changes()).extracting(Request.Change::kind).containsExactly(2, 1);
    assertThat(modify.changes().get(0).attribute().values()).hasSize(2);
    assertThat(modify.changes().get(1).attribute().values()).isEmpty();
  }

  @Test
  void shouldReadControls() {
    byte[] control = Pdus.control("1.2.840.113556.1.4.319", true, new byte[] {9});
    Request request =
        decode(message(3, element(0x4a, utf8("cn=x")), element(0xa0, control, control)));
    assertThat(request.controls()).hasSize(2);
    assertThat(request.controls().getFirst().value()).containsExactly(9);
    byte[] many = new byte[200];
    Arrays.fill(many, (byte) 'x');
    Request longName =
        decode(message(3, element(0x4a, concat(utf8("cn="), many)), element(0xa0, control)));
    assertThat(((Request.Delete) longName).name()).hasSize(203);
  }

  @Test
  void shouldAnswerWhatIsSoundButNotAllowed() {
    assertAnswerable(problem(message(9, searchOperation("", 9, 0, present("a")))), 0x65);
    assertAnswerable(problem(message(9, searchOperation("", 2, -1, present("a")))), 0x65);
    assertAnswerable(problem(message(9, searchOperation("", 2, 0, element(0xaf)))), 0x65);
    assertAnswerable(
        problem(message(9, searchOperation("", 2, 0, element(0x87, new byte[] {-1})))), 0x65);
    byte[] badDn = searchOperation("", 2, 0, present("a"));
    badDn =
        concat(
            new byte[] {0x63, (byte) (badDn[1] + 1), 4, 1, (byte) 0xff},
            Arrays.copyOfRange(badDn, 4, badDn.length));
    assertThat(problem(message(9, badDn)).result().code()).isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(problem(message(9, element(0x4a, new byte[] {'c', 'n', '=', -1}))).result().code())
        .isEqualTo(ResultCode.INVALID_DN_SYNTAX);
    assertThat(
            problem(message(9, element(0x60, number(2, 3), text(""), element(0x8f))))
                .result()
                .code())
        .isEqualTo(ResultCode.AUTH_METHOD_NOT_SUPPORTED);
  }

  private static void assertAnswerable(MalformedRequest problem, int responseTag) {
    assertAnswerable(problem, responseTag, ResultCode.PROTOCOL_ERROR);
  }

  private static void assertAnswerable(MalformedRequest problem, int responseTag, ResultCode code) {
    assertThat(problem.isAnswerable()).isTrue();
    assertThat(problem.messageId()).isEqualTo(9);
    assertThat(LdapTags.responseTo(problem.requestTag())).isEqualTo(responseTag);
    assertThat(problem.result().code()).isEqualTo(code);
  }

  @Test
  void shouldAnswerWhatIsWellFormedButBeyondALimit() {
    byte[] nots = Pdus.nested(0xa2, 20_000, present("a"));
    byte[][] items = new byte[ServerLimits.DEFAULT.requests().filterNodes() + 1][];
    Arrays.fill(items, present("a"));
    String[] names = new String[ServerLimits.DEFAULT.requests().requestedAttributes() + 1];
    Arrays.fill(names, "cn");
    byte[][] controls = new byte[ServerLimits.DEFAULT.requests().controls() + 1][];
    Arrays.fill(controls, Pdus.control("1.2.3", false, new byte[0]));
    byte[][] large = {
      message(9, searchOperation("", 2, 0, nots)),
      message(9, searchOperation("", 2, 0, element(0xa0, items))),
      message(9, searchOperation("", 2, 0, present("a"), names)),
      message(9, searchOperation("", 2, 0, present("a")), element(0xa0, controls))
    };
    for (byte[] pdu : large) {
      assertAnswerable(problem(pdu), 0x65, ResultCode.ADMIN_LIMIT_EXCEEDED);
    }
  }

  @Test
  void shouldEndConnectionsThatEncodeWrongly() {
    byte[][] wrong = {
      message(0, new byte[] {0x42, 0}),
      message(-1, new byte[] {0x42, 0}),
      message(1, new byte[] {0x65, 0}),
      message(1),
      message(1, new byte[] {0x42, 0}, new byte[] {1}),
      message(1, new byte[] {0x63, 0}),
      message(1, new byte[] {0x63, 5}),
      message(1, new byte[] {0x63, (byte) 0x80, 0, 0}),
      message(1, element(0x68, text("cn=a"), new byte[] {0x30, (byte) 0x84, 0x7f, -1, -1, -1})),
      message(1, element(0x6e, text("cn=a"), new byte[] {0x30, 0x10, 4, 2, 'c', 'n'})),
      element(0x30, element(2, new byte[] {1, 2, 3, 4, 5}), new byte[] {0x42, 0}),
      new byte[] {0x30, 0},
    };
    for (byte[] pdu : wrong) {
      MalformedRequest problem = problem(pdu);
      assertThat(problem.isAnswerable()).as(Arrays.toString(pdu)).isFalse();
    }
  }

  @Test
  void shouldIgnoreExtensionsOfMessagesAndSearches() {
    byte[] search = searchOperation("", 2, 0, present("a"));
    byte[] longer = concat(search, new byte[] {(byte) 0x95, 1, 1});
    longer[1] = (byte) (longer[1] + 3);
    assertThat(decode(message(1, longer, new byte[] {(byte) 0x8c, 0})))
        .isInstanceOf(Request.Search.class);
    assertThat(decode(message(1, new byte[] {0x42, 0}, new byte[] {(byte) 0x8c, 0})))
        .isInstanceOf(Request.Unbind.class);
  }

  @Test
  void shouldIgnoreWhatFollowsInAnySequenceWhateverItsTag() {
    byte[][] additions = {
      {4, 0}, {1, 1, 0}, {0x30, 2, 4, 0}, {(byte) 0x95, 1, 1}, {(byte) 0x9f, (byte) 0x81, 1, 1, 7}
    };
    for (byte[] more : additions) {
      byte[] equality = element(0xa3, text("cn"), text("a"), more);
      byte[] pieces = element(0xa4, text("cn"), element(0x30, element(0x80, utf8("a"))), more);
      byte[] extensible = element(0xa9, element(0x82, utf8("cn")), element(0x83, utf8("a")), more);
      for (byte[] filter : new byte[][] {equality, pieces, extensible}) {
        assertThat(decode(message(1, searchOperation("", 2, 0, filter))))
            .isInstanceOf(Request.Search.class);
      }
      byte[] attribute = element(0x30, text("cn"), element(0x31, text("a")), more);
      byte[] change = element(0x30, number(0x0a, 2), attribute, more);
      byte[] control = element(0xa0, element(0x30, text("1.2.3"), more, more));
      byte[][] operations = {
        element(0x60, number(2, 3), text(""), element(0x80), more),
        element(0x66, text("cn=a"), element(0x30, change), more),
        element(0x68, text("cn=a"), element(0x30, attribute), more),
        element(0x6c, text("cn=a"), text("cn=b"), bool(true), more),
        element(0x6e, text("cn=a"), element(0x30, text("cn"), text("v"), more), more),
        element(0x77, element(0x80, utf8("1.2.3")), more),
        element(0x77, element(0x80, utf8("1.2.3")), element(0x81, utf8("v")), more),
      };
      for (byte[] operation : operations) {
        assertThat(decode(message(1, operation, more)).messageId()).isEqualTo(1);
        assertThat(decode(message(1, operation, control)).controls()).hasSize(1);
      }
    }
  }

  @Test
  void shouldNotTakePartsOutOfOrderForAdditions() {
    byte[] filter =
        element(
            0xa9,
            element(0x81, utf8("caseIgnoreMatch")),
            element(0x83, utf8("a")),
            element(0x82, utf8("cn")));
    assertAnswerable(problem(message(9, searchOperation("", 2, 0, filter))), 0x65);
  }

  @Test
  void shouldKeepLargeMessages() {
    byte[] value = new byte[300_000];
    Arrays.fill(value, (byte) 'v');
    byte[] attribute = element(0x30, text("photo"), element(0x31, element(4, value)));
    Request.Add add =
        (Request.Add) decode(message(1, element(0x68, text("cn=a"), element(0x30, attribute))));
    assertThat(add.attributes().getFirst().values().getFirst()).isEqualTo(value);
  }

  /** Filters as text, values in hexadecimal. */
  static final class Filters {
    private Filters() {}

    static String toString(FilterNode node) {
      return switch (node) {
        case FilterNode.And and -> list("&", and.nodes());
        case FilterNode.Or or -> list("|", or.nodes());
        case FilterNode.Not not -> "(!" + toString(not.node()) + ")";
        case FilterNode.Equality f -> "(" + f.attribute() + "=" + hex(f.value()) + ")";
        case FilterNode.GreaterOrEqual f -> "(" + f.attribute() + ">=" + hex(f.value()) + ")";
        case FilterNode.LessOrEqual f -> "(" + f.attribute() + "<=" + hex(f.value()) + ")";
        case FilterNode.Approximate f -> "(" + f.attribute() + "~=" + hex(f.value()) + ")";
        case FilterNode.Present f -> "(" + f.attribute() + "=*)";
        case FilterNode.Substrings f -> substrings(f);
        case FilterNode.Extensible f ->
            "("
                + (f.attribute() == null ? "" : f.attribute())
                + (f.dnAttributes() ? ":dn" : "")
                + (f.rule() == null ? "" : ":" + f.rule())
                + ":="
                + hex(f.value())
                + ")";
      };
    }

    private static String substrings(FilterNode.Substrings f) {
      StringBuilder text = new StringBuilder("(" + f.attribute() + "=");
      text.append(f.initial() == null ? "" : hex(f.initial())).append('*');
      f.any().forEach(piece -> text.append(hex(piece)).append('*'));
      return text.append(f.last() == null ? "" : hex(f.last())).append(')').toString();
    }

    private static String list(String operator, List<FilterNode> nodes) {
      StringBuilder text = new StringBuilder("(" + operator);
      nodes.forEach(node -> text.append(toString(node)));
      return text.append(')').toString();
    }

    static String hex(byte[] bytes) {
      return java.util.HexFormat.of().formatHex(bytes);
    }
  }
}
